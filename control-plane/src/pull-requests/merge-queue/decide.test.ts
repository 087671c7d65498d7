import { describe, expect, it } from 'vitest';
import {
  type AdmissionFacts,
  afterTest,
  decideAdmission,
  type FailedTest,
  nextToTest,
  type Place,
  type Queued,
  whyNotYet,
} from './decide.ts';

const PLACE: Place = {
  state: 'waiting',
  commitSha: 'one',
  code: 'merge_queued',
  reason: 'waits for its turn',
  enteredBy: 'service',
};

function facts(changes: Partial<AdmissionFacts> = {}): AdmissionFacts {
  return {
    policy: { mode: 'when-green' },
    pullRequest: {
      commitSha: 'one',
      draft: false,
      changedLines: 10,
      filesOutsideScope: null,
      review: null,
    },
    needsApproval: false,
    isWorkedOn: false,
    isDone: true,
    place: null,
    ...changes,
  };
}

const pullRequest = (changes: Partial<AdmissionFacts['pullRequest']>) => ({
  pullRequest: { ...facts().pullRequest, ...changes },
});
const place = (changes: Partial<Place>) => ({ place: { ...PLACE, ...changes } });

describe('a pull request and the merge queue', () => {
  it.each<[string, Partial<AdmissionFacts>, string]>([
    ['comes in when it is done', {}, 'wait'],
    ['stays out while its agent works', { isWorkedOn: true }, 'keep'],
    ['stays out while its work is not done', { isDone: false }, 'keep'],
    ['stays out as a draft', pullRequest({ draft: true }), 'keep'],
    ['stays out without a policy', { policy: null }, 'keep'],
    ['stays out before its review', pullRequest({ review: 'due' }), 'keep'],
    [
      'leaves when its review is due again',
      { ...place({}), ...pullRequest({ review: 'due' }) },
      'drop',
    ],
    ['comes in against advice', pullRequest({ review: 'changes_requested' }), 'wait'],
    [
      'comes in with the approval that it needs',
      { ...pullRequest({ review: 'approved' }), needsApproval: true },
      'wait',
    ],
    [
      'is held when its review asks for changes',
      { ...pullRequest({ review: 'changes_requested' }), needsApproval: true },
      'hold',
    ],
    [
      'is held when its review has failed',
      { ...pullRequest({ review: 'failed' }), needsApproval: true },
      'hold',
    ],
    [
      'keeps the place that a person gave it against the review',
      {
        ...place({ enteredBy: 'ada' }),
        ...pullRequest({ review: 'changes_requested' }),
        needsApproval: true,
      },
      'keep',
    ],
    ['stays out until a person asks', { policy: { mode: 'ask' } }, 'keep'],
    ['keeps its place', place({}), 'keep'],
    [
      'is measured again when the policy is narrowed',
      { ...place({}), policy: { mode: 'when-green', max_changed_lines: 1 } },
      'hold',
    ],
    [
      'keeps the place that a person gave it against the policy',
      {
        ...place({ enteredBy: 'ada' }),
        policy: { mode: 'when-green', max_changed_lines: 1 },
      },
      'keep',
    ],
    ['keeps its place when it is held', place({ state: 'held', code: 'merge_failed' }), 'keep'],
    ['keeps its place while its agent works', { ...place({}), isWorkedOn: true }, 'keep'],
    ['leaves without a policy', { ...place({}), policy: null }, 'drop'],
    [
      'comes in again when it changed',
      { ...place({ state: 'held', code: 'merge_removed' }), ...pullRequest({ commitSha: 'two' }) },
      'wait',
    ],
    [
      'comes in when its size is allowed now',
      place({ state: 'held', code: 'merge_condition', reason: 'too large' }),
      'wait',
    ],
    [
      'leaves when only the former policy let it in',
      { ...place({}), policy: { mode: 'ask' } },
      'drop',
    ],
    [
      'keeps the place that a person gave it',
      { ...place({ enteredBy: 'ada' }), policy: { mode: 'ask' } },
      'keep',
    ],
  ])('%s', (_name, changes, kind) => {
    expect(decideAdmission(facts(changes)).kind).toBe(kind);
  });

  it('is held for a person when a condition of the policy does not hold', () => {
    const small = { mode: 'when-green', max_changed_lines: 9 } as const;
    expect(decideAdmission(facts({ policy: small }))).toEqual({
      kind: 'hold',
      code: 'merge_condition',
      reason: 'it changes 10 lines, and more than 9 are left to a person',
    });
    const within = { mode: 'when-green', within_scope: true } as const;
    const reasons = [null, 1, 3].map((filesOutsideScope) =>
      decideAdmission(facts({ policy: within, ...pullRequest({ filesOutsideScope }) })),
    );
    expect(reasons).toMatchObject([
      { reason: 'its repository declares no scope that it could keep to' },
      { reason: 'it changes a file outside the scope of its repository' },
      { reason: 'it changes 3 files outside the scope of its repository' },
    ]);
    const inside = pullRequest({ filesOutsideScope: 0 });
    expect(decideAdmission(facts({ policy: within, ...inside })).kind).toBe('wait');
  });

  it('is merged as the person saw it who asked, or that person is asked again', () => {
    const changed = pullRequest({ commitSha: 'two' });
    const asked = { ...place({ enteredBy: 'ada' }), ...changed, policy: { mode: 'ask' } as const };
    expect(decideAdmission(facts(asked))).toMatchObject({
      kind: 'hold',
      code: 'merge_branch_moved',
    });
  });

  it('is held when the agent changed nothing after it was sent back', () => {
    const returned = place({ state: 'returned', code: 'checks_failed', reason: 'lint failed' });
    expect(decideAdmission(facts(returned))).toEqual({
      kind: 'hold',
      code: 'checks_failed',
      reason: 'the agent did not change it after this: lint failed',
    });
  });
});

const TEST: FailedTest = {
  outcome: 'failed',
  code: 'workspace_error',
  cancelKind: null,
  message: 'no space left',
};

describe('a test without a merge', () => {
  it.each<[string, Partial<FailedTest>, Record<string, unknown>]>([
    ['a conflict', { code: 'merge_conflict' }, { kind: 'return', code: 'merge_conflict' }],
    ['a failed check', { code: 'checks_failed' }, { kind: 'return', code: 'checks_failed' }],
    ['another branch', { code: 'merge_branch_moved' }, { kind: 'hold' }],
    ['a protected base', { code: 'delivery_refused' }, { kind: 'hold', code: 'delivery_refused' }],
    ['no such repository', { code: 'repository_unusable' }, { kind: 'hold' }],
    ['a moved base', { code: 'merge_base_moved' }, { kind: 'wait', notBeforeMs: null, tries: 2 }],
    ['a machine', {}, { kind: 'wait', notBeforeMs: 30_100, tries: 2 }],
    ['a pause', { outcome: 'cancelled', cancelKind: 'pause' }, { kind: 'wait', tries: 1 }],
    ['a person', { outcome: 'cancelled', cancelKind: 'person' }, { kind: 'hold' }],
  ])('by %s', (_name, changes, expected) => {
    expect(afterTest({ ...TEST, ...changes }, 1, 100)).toMatchObject(expected);
  });

  it('is repeated five times, and not for ever', () => {
    expect(afterTest(TEST, 3, 0).kind).toBe('wait');
    expect(afterTest(TEST, 4, 0)).toMatchObject({
      kind: 'hold',
      code: 'merge_failed',
      reason: 'tested 5 times without a result, the last time: no space left',
    });
  });

  it('that no attempt began is held', () => {
    expect(afterTest(null, 0, 0)).toMatchObject({ kind: 'hold', code: 'merge_removed' });
  });
});

function inLine(id: string, changes: Partial<Queued> = {}): Queued {
  return {
    id,
    line: 'shop main',
    state: 'waiting',
    priority: null,
    enteredAtMs: 0,
    notBeforeMs: null,
    blockers: [],
    waitsForIssue: null,
    ...changes,
  };
}

describe('the next test', () => {
  it('is the most urgent, then the one that waits longest, one for each base branch', () => {
    const line = [
      inLine('late', { enteredAtMs: 2 }),
      inLine('early', { enteredAtMs: 1 }),
      inLine('other', { line: 'shop next', enteredAtMs: 3 }),
    ];
    expect(nextToTest(line, 0)).toEqual(['early', 'other']);
    expect(nextToTest([...line, inLine('urgent', { priority: 2, enteredAtMs: 9 })], 0)).toEqual([
      'urgent',
      'other',
    ]);
  });

  it('waits for the test under way on its base branch', () => {
    const line = [
      inLine('now', { state: 'testing' }),
      inLine('next'),
      inLine('held', { state: 'held' }),
    ];
    expect(nextToTest(line, 0)).toEqual([]);
  });

  it.each<[string, Partial<Queued>, string]>([
    ['its agent works', { waitsForIssue: 'waits for the agent' }, 'waits for the agent'],
    [
      'others block it',
      { blockers: ['SY-1', 'SY-2'] },
      'waits for SY-1, SY-2, which must be done first',
    ],
    ['it is tested later', { notBeforeMs: 10 }, 'waits before it is tested again'],
  ])('passes over one while %s', (_name, changes, why) => {
    const first = inLine('first', { priority: 1, ...changes });
    expect(nextToTest([first, inLine('second')], 9)).toEqual(['second']);
    expect(whyNotYet(first, 9)).toBe(why);
  });
});
