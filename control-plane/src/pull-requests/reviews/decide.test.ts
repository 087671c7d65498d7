import { describe, expect, it } from 'vitest';
import {
  afterReview,
  decideReview,
  type EndedReview,
  mayReturn,
  type ReviewFacts,
  type ReviewPlace,
  standingOfReview,
} from './decide.ts';

const LAST: ReviewPlace = {
  state: 'done',
  commitSha: 'one',
  verdict: 'approved',
  returned: false,
  notBeforeMs: null,
};
const FACTS: ReviewFacts = {
  mode: 'require',
  pullRequest: { isOpen: true, draft: false, commitSha: 'one' },
  issue: {
    status: 'completed',
    code: 'pull_request_opened',
    isReviewing: false,
    onTrial: false,
  },
  last: null,
  isPaused: false,
  nowMs: 1_000,
};
const last = (changes: Partial<ReviewPlace>) => ({ last: { ...LAST, ...changes } });
const issue = (changes: Partial<ReviewFacts['issue']>) => ({
  issue: { ...FACTS.issue, ...changes },
});
const pullRequest = (changes: Partial<ReviewFacts['pullRequest']>) => ({
  pullRequest: { ...FACTS.pullRequest, ...changes },
});
const running = last({ state: 'running', verdict: null });
const waiting = (changes: Partial<ReviewPlace> = {}) =>
  last({ state: 'waiting', verdict: null, ...changes });
const unheeded = last({ verdict: 'changes_requested', returned: true });

describe('the reviews of a pull request', () => {
  it.each<[string, Partial<ReviewFacts>, string]>([
    ['begin when the work is delivered', {}, 'begin'],
    ['begin where they only advise', { mode: 'advise' }, 'begin'],
    ['do not begin without a policy', { mode: 'off' }, 'keep'],
    ['do not begin on a draft', pullRequest({ draft: true }), 'keep'],
    ['do not begin on one that has ended', pullRequest({ isOpen: false }), 'keep'],
    ['do not begin while the agent works', issue({ status: 'running' }), 'keep'],
    ['do not begin on an issue that is blocked', issue({ status: 'blocked' }), 'keep'],
    ['do not begin on the work of a trial', issue({ onTrial: true }), 'keep'],
    ['do not begin in a pause', { isPaused: true }, 'keep'],
    ['are over for a commit that has a verdict', last({}), 'keep'],
    ['are over for a commit whose review failed', last({ state: 'failed', verdict: null }), 'keep'],
    ['begin again for another commit', last({ commitSha: 'zero' }), 'begin'],
    ['go on', { ...running, ...issue({ status: 'running', isReviewing: true }) }, 'keep'],
    [
      'go on when the policy is taken back',
      { ...running, ...issue({ status: 'running', isReviewing: true }), mode: 'off' },
      'keep',
    ],
    [
      'stop when the pull request ends',
      {
        ...running,
        ...issue({ status: 'running', isReviewing: true }),
        ...pullRequest({ isOpen: false }),
      },
      'stop',
    ],
    ['are settled when no attempt reviews any longer', running, 'settle'],
    [
      'are settled when dispatch cannot offer them',
      { ...running, ...issue({ status: 'idle', isReviewing: true }) },
      'settle',
    ],
    ['are repeated', waiting(), 'repeat'],
    ['are repeated when it is time', waiting({ notBeforeMs: 1_000 }), 'repeat'],
    ['are not repeated too early', waiting({ notBeforeMs: 1_001 }), 'keep'],
    ['are not repeated in a pause', { ...waiting(), isPaused: true }, 'keep'],
    [
      'are not repeated while the agent works',
      { ...waiting(), ...issue({ status: 'queued' }) },
      'keep',
    ],
    ['are not repeated for a former commit', waiting({ commitSha: 'zero' }), 'fail'],
    ['are not repeated after the end', { ...waiting(), ...pullRequest({ isOpen: false }) }, 'fail'],
    ['ask a person when the agent changed nothing', unheeded, 'ask-person'],
    ['ask nobody where they only advise', { ...unheeded, mode: 'advise' }, 'keep'],
    ['ask once', { ...unheeded, ...issue({ code: 'review_changes_requested' }) }, 'keep'],
    ['ask nobody what was not given to the agent', last({ verdict: 'changes_requested' }), 'keep'],
  ])('%s', (_name, changes, kind) => {
    expect(decideReview({ ...FACTS, ...changes }).kind).toBe(kind);
  });

  it.each<[string, Parameters<typeof standingOfReview>, ReturnType<typeof standingOfReview>]>([
    ['has none without a policy', ['off', LAST, 'one'], null],
    ['is due before the first', ['require', null, 'one'], 'due'],
    ['is due for a commit that nobody reviewed', ['require', LAST, 'two'], 'due'],
    [
      'is due while it runs',
      ['advise', { ...LAST, state: 'running', verdict: null }, 'one'],
      'due',
    ],
    ['is the verdict on exactly this commit', ['require', LAST, 'one'], 'approved'],
    ['is failed', ['require', { ...LAST, state: 'failed', verdict: null }, 'one'], 'failed'],
  ])('the standing %s', (_name, given, standing) => {
    expect(standingOfReview(...given)).toBe(standing);
  });
});

describe('the end of a review', () => {
  const result = { verdict: 'approved', summary: '', findings: [], leftOut: 0 } as const;
  const DONE: EndedReview = {
    outcome: 'completed',
    code: 'review_approved',
    cancelKind: null,
    message: null,
    result: { ...result, findings: [] },
  };
  const failed = { ...DONE, outcome: 'failed', result: null, message: 'it broke' };

  it('is its verdict', () => {
    expect(afterReview(DONE, 2, 0)).toEqual({ kind: 'done', result });
  });

  it('is tried again some times, later each time, with the reason', () => {
    const again = [0, 1].map((tries) => afterReview({ ...failed, code: 'agent_error' }, tries, 0));
    expect(again).toEqual([
      { kind: 'wait', reason: 'it broke', tries: 1, notBeforeMs: 30_000 },
      { kind: 'wait', reason: 'it broke', tries: 2, notBeforeMs: 60_000 },
    ]);
    expect(afterReview({ ...failed, code: 'agent_error' }, 2, 0).kind).toBe('fail');
  });

  it('costs no try when a pause stopped it', () => {
    const stopped = { ...failed, outcome: 'cancelled', cancelKind: 'pause' };
    expect(afterReview(stopped, 2, 0)).toMatchObject({ kind: 'wait', tries: 2, notBeforeMs: null });
  });

  it.each<[string, Partial<EndedReview>]>([
    ['a person stopped it', { outcome: 'cancelled', cancelKind: 'person' }],
    ['its agent needs a person', { outcome: 'completed', code: 'agent_blocked' }],
    ['its budget is used', { code: 'issue_budget_used', cancelKind: 'budget' }],
    ['the branch was moved', { code: 'review_branch_moved' }],
    ['no runner may have the repository', { code: 'repository_refused' }],
  ])('is left to a person when %s', (_name, changes) => {
    expect(afterReview({ ...failed, ...changes }, 0, 0).kind).toBe('fail');
  });
});

describe('what a review found', () => {
  const used = {
    returned: 1,
    maxRounds: 2,
    feedbackRounds: 4,
    maxFeedbackRounds: 5,
  };
  it.each([
    ['goes back to the agent', {}, true],
    ['stays when the rounds of the policy are used', { returned: 2 }, false],
    ['stays when the attempts for feedback are used', { feedbackRounds: 5 }, false],
  ])('%s', (_name, changes, expected) => {
    expect(mayReturn({ ...used, ...changes })).toBe(expected);
  });
});
