import { describe, expect, it } from 'vitest';
import { decideNext, nextUpdate, type SessionState, type SentUpdate } from './decide.ts';

const NOW = 10_000_000;
type Issue = NonNullable<SessionState['issue']>;

function standing(issue: Partial<Issue>, more: Partial<SessionState> = {}): SessionState {
  return {
    issue: {
      status: 'queued',
      reason: null,
      reasonCode: null,
      nextRetryAtMs: null,
      isOver: false,
      pullRequestUrl: null,
      ...issue,
    },
    attempt: { attemptId: 'att_1', number: 1, summary: null },
    asked: null,
    pageUrl: 'https://switchyard.example/issues/ENG-1',
    ...more,
  };
}
const question = (text: string, labels: string[] = []) => ({
  id: text,
  header: '',
  question: text,
  isSecret: false,
  options: labels.map((label) => ({ label, description: '' })),
});
const asking = (...questions: ReturnType<typeof question>[]) =>
  nextUpdate(
    standing({ status: 'running' }, { asked: { requestId: 'req_1', questions, plan: null } }),
  );
const told = (changes: Partial<SentUpdate>): SentUpdate => ({
  key: null,
  activityAtMs: NOW,
  dueAtMs: null,
  waiting: 0,
  ...changes,
});
const at = { nowMs: NOW, running: 1 };

describe('what a session is told', () => {
  it('names the reason for waiting, and nothing while the issue is on offer', () => {
    const waiting = nextUpdate(standing({ reason: 'waiting for a runner: none is connected' }));
    expect(waiting).toMatchObject({
      content: { type: 'thought', body: 'Queued: waiting for a runner: none is connected.' },
      after: 'going',
    });
    expect(
      nextUpdate(standing({ reason: 'offered to a runner', reasonCode: 'offered' })),
    ).toBeNull();
  });

  it('shows a plan with how to decide it', () => {
    const asked = { requestId: 'req_1', questions: [question('plan')], plan: '# Steps\n1. Do it.' };
    const issue = { status: 'blocked', reasonCode: 'plan_waiting' } as const;
    const update = nextUpdate(standing(issue, { asked }));
    expect(update).toMatchObject({
      key: 'plan:req_1',
      content: { type: 'elicitation', body: expect.stringContaining('1. Do it.') as string },
      options: ['Approve'],
      after: 'waiting',
    });
    expect(update?.content).toMatchObject({
      body: expect.stringContaining('Answer `approve` to begin the work') as string,
    });
  });

  it.each([
    ['completed', 'response', 'ended'],
    ['cancelled', 'response', 'ended'],
    ['failed', 'error', 'ended'],
    ['blocked', 'elicitation', 'waiting'],
    ['retrying', 'thought', 'going'],
  ] as const)('ends %s with a %s', (status, type, after) => {
    expect(nextUpdate(standing({ status, reason: 'why' }))).toMatchObject({
      content: { type },
      after,
    });
  });

  it('shows the summary and the pull request of what was delivered', () => {
    const news = nextUpdate(
      standing(
        { status: 'completed', pullRequestUrl: 'https://code.example/pulls/7' },
        { attempt: { attemptId: 'att_1', number: 1, summary: 'Fixed.' } },
      ),
    );
    expect(news?.content).toEqual({
      type: 'response',
      body: 'Fixed.\n\nReview the pull request: https://code.example/pulls/7',
    });
  });

  it('shows what the agent wrote as Markdown in which nothing acts', () => {
    const summary = '# Done\n\n- **one** for @ada\n- [x](https://linear.app/a/profiles/ada)';
    const attempt = { attemptId: 'att_1', number: 1, summary };
    const news = nextUpdate(standing({ status: 'completed' }, { attempt }));
    const address = '`https://linear.app/a/profiles/\u200bada`';
    expect(news?.content).toEqual({
      type: 'response',
      body: `#### Done\n\n- **one** for @\u200bada\n- x (${address})`,
    });
  });

  it('says of a closed issue that there is nothing to do', () => {
    const news = nextUpdate(standing({ status: 'idle', isOver: true }));
    expect(news).toMatchObject({ content: { type: 'response' }, after: 'ended' });
  });

  it('offers choices, numbers several questions, and asks for no secret', () => {
    expect(asking(question('Colour?', ['red', 'blue']))?.options).toEqual(['red', 'blue']);
    const two = asking(question('Colour?', ['red', 'blue']), question('Size?'));
    expect(two?.options).toBeUndefined();
    expect(two?.content).toMatchObject({ body: expect.stringContaining('2. Size?') as string });
    const secret = asking({ ...question('The key?'), isSecret: true });
    expect(JSON.stringify(secret)).not.toContain('The key?');
    expect(JSON.stringify(secret)).toContain('https://switchyard.example/issues/ENG-1');
  });
});

describe('when a session is told', () => {
  const queued = (reason: string) => nextUpdate(standing({ reason }));

  it('tells news at once and once', () => {
    const news = queued('full');
    expect(decideNext(news, told({}), at)).toMatchObject({ kind: 'news', news });
    expect(decideNext(news, told({ key: 'queued:full' }), at)).toEqual({ kind: 'nothing' });
  });

  it('lets a queue calm down whose reason keeps changing', () => {
    const before = told({ key: 'queued:full', activityAtMs: NOW - 20_000 });
    const next = decideNext(queued('no runner'), before, at);
    expect(next).toEqual({ kind: 'later', dueAtMs: NOW + 40_000 });
    const later = { ...at, nowMs: NOW + 40_000 };
    expect(decideNext(queued('no runner'), before, later).kind).toBe('news');
  });

  it('looks at progress the less often the more sessions there are', () => {
    const running = nextUpdate(standing({ status: 'running' }));
    const due = told({ key: 'running:att_1', dueAtMs: NOW });
    const few = decideNext(running, due, at);
    const many = decideNext(running, due, { ...at, running: 12 });
    expect(few).toMatchObject({ kind: 'progress', dueAtMs: NOW + 10_000, again: null });
    expect(many).toMatchObject({ kind: 'progress', dueAtMs: NOW + 120_000 });
  });

  it('sends again what the tracker did not take, for a day', () => {
    const news = nextUpdate(standing({ status: 'failed', reason: 'why' }));
    const unsaid = told({ key: news!.key, dueAtMs: NOW, waiting: 1 });
    expect(decideNext(news, unsaid, at).kind).toBe('again');
    const old = { ...unsaid, activityAtMs: NOW - 25 * 3_600_000 };
    expect(decideNext(news, old, at)).toEqual({ kind: 'later', dueAtMs: null });
  });
});
