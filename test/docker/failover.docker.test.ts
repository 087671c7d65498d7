import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { EngineUsage, Usage } from '@switchyard/shared/api/work/usage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DONE, type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say, together } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';
import { imageLacks } from '../support/engines/image-lacks.ts';
import { refusal } from '../support/scripted-model/faults.ts';
import { LimitedAccount } from '../support/scripted-model/limited-account.ts';

const missing = await imageLacks(['opencode', 'claude']);
const skipped = missing === null ? '' : ` (skipped: ${missing})`;

const LIMIT_MS = 180_000;
/** Three quarters of it is the longest wait that an engine may sit out by itself. */
const STALL_MS = 30_000;
/** Longer than an engine may wait in silence, and short enough to wait for. */
const RESET_IN_MS = 45_000;
/** Nobody answers in it. */
const QUESTION_MS = 2_000;
const COLOUR = {
  id: 'colour',
  header: 'Colour',
  question: 'Which colour should it have?',
  options: ['Blue', 'Green'].map((label) => ({ label, description: `It becomes ${label}` })),
};
const FAR_RESET_IN_MS = 3_600_000;
const PRICES = {
  'first-model': { input: 3, output: 15 },
  'second-model': { input: 1, output: 4 },
} as const;
/** A work tree has no identity of its own in a container. */
const COMMIT = 'git -c user.name=Agent -c user.email=agent@example.invalid commit -q -m';

describe.skipIf(missing !== null)(`a chain of two engines${skipped}`, () => {
  let first: LimitedAccount;
  let second: LimitedAccount;
  let bench: Bench;

  beforeAll(async () => {
    [first, second] = await Promise.all([LimitedAccount.start(), LimitedAccount.start()]);
    const account = (name: string, wireApi: string, { provider }: LimitedAccount) => ({
      name,
      provider: { name, baseUrl: provider.url, wireApi, apiKey: `$SECRET:${name.toUpperCase()}` },
    });
    const choice = (name: string, engine: string, model: keyof typeof PRICES) => ({
      name: `${engine}/${model}`,
      engine,
      model,
      account: name,
    });
    bench = await startBench({
      script: () => refusal('unauthorized'),
      sandbox: 'docker',
      slots: 2,
      config: {
        'engine.accounts': JSON.stringify([
          account('first', 'messages', first),
          account('second', 'chat', second),
        ]),
        'engine.choices': JSON.stringify([
          choice('first', 'claude', 'first-model'),
          choice('second', 'opencode', 'second-model'),
        ]),
        'engine.failover': JSON.stringify(['claude/first-model', 'opencode/second-model']),
        'engine.stallTimeoutMs': STALL_MS,
        prices: JSON.stringify(PRICES),
        // A single try: an issue that used one up for a refusal would fail.
        'agent.maxContinuationAttempts': 0,
        'agent.requestTimeoutMs': QUESTION_MS,
      },
    });
    await bench.client.must('POST', '/secrets/FIRST', { value: first.key });
    await bench.client.must('POST', '/secrets/SECOND', { value: second.key });
  });
  afterAll(async () => {
    await bench?.close();
    await Promise.all([first, second].map((account) => account?.provider.close()));
  });

  const endsAttempt = (identifier: string, number: number) =>
    bench.client.issueUntil(
      identifier,
      ({ attempts }) => attempts.some((one) => one.number === number && one.outcome !== null),
      `ends attempt ${number}`,
      LIMIT_MS,
    );

  async function pullRequestsOf(identifier: string): Promise<PullRequest[]> {
    const path = '/local/pull-requests?limit=500';
    const { pullRequests } = await bench.client.must<{ pullRequests: PullRequest[] }>('GET', path);
    return pullRequests.filter(({ issueIdentifier }) => issueIdentifier === identifier);
  }

  const fileOf = (branch: string, path: string) =>
    bench.repository.git('show', `refs/heads/${branch}:${path}`);

  it(
    'goes on with the second engine in the middle of an issue, and returns at the reset',
    { timeout: 2 * LIMIT_MS },
    async () => {
      const { client } = bench;
      first.plan('case:quota', beginsAndIsRefused);
      first.plan('case:later', writes('later.txt'));
      second.plan('case:quota', finishes);
      second.plan('case:meanwhile', writes('meanwhile.txt'));
      const { identifier } = await client.createIssue({ title: 'case:quota' });
      await endsAttempt(identifier, 1);
      const meanwhile = await client.createIssue({ title: 'case:meanwhile' });
      const issue = await client.settled(identifier, LIMIT_MS);
      expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed', attemptCount: 2 });
      const [next, before] = issue.attempts;
      if (next === undefined || before === undefined) throw new Error('no two attempts');
      expect(before).toMatchObject({
        number: 1,
        engine: 'claude',
        account: 'first',
        model: 'first-model',
        outcome: 'failed',
        failureKind: 'usage_limited',
        reasonCode: 'provider_limited',
        failedOverFrom: null,
        engineVersion: expect.stringMatching(/\d/),
      });
      expect(next).toMatchObject({
        number: 2,
        engine: 'opencode',
        account: 'second',
        model: 'second-model',
        outcome: 'completed',
        marker: 'DONE',
        failedOverFrom: before.attemptId,
        runnerId: before.runnerId,
        engineVersion: expect.stringMatching(/\d/),
      });
      expect(next.threadId).not.toBe(before.threadId);
      await expectOneBranch(identifier, [before, next]);
      expectHandOver(identifier, before.branch ?? '');
      await expectToldEverywhere(identifier, [before, next]);
      await expectCounted([before, next]);

      const waited = await client.settled(meanwhile.identifier, LIMIT_MS);
      expect(waited, waited.reason ?? '').toMatchObject({ status: 'completed', attemptCount: 1 });
      const [alone] = waited.attempts;
      expect(alone).toMatchObject({ engine: 'opencode', account: 'second', failedOverFrom: null });
      expect(Date.parse(alone?.queuedAt ?? '')).toBeLessThan(first.resetAtMs);

      await until(
        () => first.isLimited,
        (isLimited) => !isLimited,
        { what: 'the reset', timeoutMs: RESET_IN_MS + 5_000 },
      );
      const later = await client.createIssue({ title: 'case:later' });
      const back = await client.settled(later.identifier, LIMIT_MS);
      expect(back, back.reason ?? '').toMatchObject({ status: 'completed', attemptCount: 1 });
      expect(back.attempts[0]).toMatchObject({ engine: 'claude', account: 'first' });
      // Each account was asked with its own key only, and the one without a name by nobody.
      for (const { provider } of [first, second]) {
        expect(provider.requests.filter(({ authorized }) => !authorized)).toEqual([]);
      }
      expect(bench.provider.requests).toEqual([]);
    },
  );

  it(
    'waits with the reason where no account is left, and goes on by itself at the reset',
    { timeout: 2 * LIMIT_MS },
    async () => {
      const { client } = bench;
      const title = 'case:exhausted';
      first.plan(title, usesUpFirst);
      second.plan(title, usesUpSecond);
      const { identifier } = await client.createIssue({ title });
      await endsAttempt(identifier, 2);
      const waiting = await client.issueUntil(
        identifier,
        ({ status }) => status === 'retrying',
        'waits',
        LIMIT_MS,
      );
      expect(waiting).toMatchObject({ reasonCode: 'providers_paused', attemptCount: 2 });
      expect(waiting.reason).toMatch(/claude\/first-model: .+; opencode\/second-model: /);
      const dueAtMs = Date.parse(waiting.nextRetryAt ?? '');
      expect(Math.abs(dueAtMs - second.resetAtMs)).toBeLessThan(3_000);
      const asked = first.provider.requests.length;
      const issue = await client.settled(identifier, LIMIT_MS);
      expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed', attemptCount: 3 });
      const attempts = issue.attempts.toSorted((a, b) => a.number - b.number);
      expect(attempts.map(({ engine, reasonCode }) => [engine, reasonCode])).toEqual([
        ['claude', 'provider_limited'],
        ['opencode', 'provider_limited'],
        ['opencode', expect.any(String)],
      ]);
      const [, refused, resumed] = attempts;
      expect(Date.parse(resumed?.queuedAt ?? '')).toBeGreaterThanOrEqual(dueAtMs);
      // The same engine on the same account goes on with its own thread, and is told nothing twice.
      expect(resumed).toMatchObject({ threadId: refused?.threadId, failedOverFrom: null });
      expect(first.provider.requests).toHaveLength(asked);
      await expectOneBranch(identifier, attempts);
      const { branch } = await client.pullRequestOf(identifier);
      for (const name of ['one', 'two', 'three']) {
        expect(await fileOf(branch, `${name}.txt`)).toBe(name);
      }
    },
  );

  /** Plans, asks in vain, commits one file and leaves another half written; then the quota is used up. */
  const beginsAndIsRefused: ReadyScript = ({ stepIndex }) => {
    if (stepIndex === 0) {
      const open = { content: 'Finish second.txt', activeForm: 'Finishing', status: 'pending' };
      return { outputs: [{ type: 'tool', name: 'TodoWrite', arguments: { todos: [open] } }] };
    }
    if (stepIndex === 1) return { outputs: [{ type: 'questions', questions: [COLOUR] }] };
    if (stepIndex === 2) {
      const commit = `echo first > first.txt && git add first.txt && ${COMMIT} "Add first.txt"`;
      const work = exec(`${commit} && echo half > second.txt`);
      return together(say('I commit the first file and begin the second one.'), work);
    }
    return first.useUp(RESET_IN_MS);
  };
  const finishes: ReadyScript = ({ stepIndex }) =>
    stepIndex === 0
      ? exec('cat first.txt && echo whole >> second.txt')
      : say(`Both files are written.\n\n${DONE}`);
  const writes =
    (path: string): ReadyScript =>
    ({ stepIndex }) =>
      stepIndex === 0 ? exec(`echo written > ${path}`) : say(`It is written.\n\n${DONE}`);
  const usesUpFirst: ReadyScript = ({ stepIndex }) =>
    stepIndex === 0 ? exec('echo one > one.txt') : first.useUp(FAR_RESET_IN_MS);
  const usesUpSecond: ReadyScript = ({ input }) => {
    const has = (command: string) => JSON.stringify(input).includes(command);
    // The thread that goes on holds what was done before the refusal.
    if (!has('echo two')) return exec('echo two > two.txt');
    if (second.resetAtMs === 0) return second.useUp(RESET_IN_MS);
    if (!has('echo three')) return exec('echo three > three.txt');
    return say(`All three are written.\n\n${DONE}`);
  };

  /** One pull request from the branch that every attempt worked on. */
  async function expectOneBranch(identifier: string, attempts: readonly Attempt[]) {
    const made = await pullRequestsOf(identifier);
    expect(made).toHaveLength(1);
    expect(new Set(attempts.map(({ branch }) => branch))).toEqual(new Set([made[0]?.branch]));
  }

  function expectHandOver(identifier: string, branch: string) {
    const [begun] = second.calls(identifier);
    const prompt = begun?.userTexts.join('\n') ?? '';
    for (const part of [
      'Another agent (claude with the model first-model) worked on this issue in this workspace',
      'The model provider limits usage for now.',
      `Branch:\n\n\`\`\`text\n${branch}\n`,
      'When it was last saved, it had changed 2 files: 2 lines added, 0 removed.',
      'Its plan:\n\n```text\n[pending] Finish second.txt\n',
      'Commands that it ran last:\n\n```text\n$ echo first > first.txt',
      'and nobody has answered:\n\n```text\n- Which colour should it have?\n',
      'Its last message:\n\n```text\nI commit the first file and begin the second one.\n',
    ]) {
      expect(prompt).toContain(part);
    }
    // It is told the task as well, and finds the work of the other one.
    expect(prompt).toContain('case:quota');
    const last = second.calls(identifier).at(-1);
    expect(last?.toolOutputs.join('\n')).toContain('first');
  }

  async function expectToldEverywhere(identifier: string, [from, to]: readonly Attempt[]) {
    const { client } = bench;
    const side = ({ attemptId, engine, account, model }: Attempt) => ({
      attemptId,
      engine,
      account,
      model,
    });
    if (from === undefined || to === undefined) throw new Error('no two attempts');
    const told = { from: side(from), to: side(to), reasonCode: 'provider_limited' };
    const { events } = await client.attempt(to.attemptId);
    expect(events.filter(({ type }) => type === 'attempt.failover')).toMatchObject([
      { data: { identifier, ...told } },
    ]);
    const kinds = (await client.attempt(from.attemptId)).events.map(({ type }) => type);
    expect(kinds).toContain('attempt.ended');
    const audited = (await client.audit()).filter(
      ({ operation }) => operation === 'attempt.failover',
    );
    expect(audited.map(({ subject }) => subject)).toEqual([identifier]);
  }

  /** Tokens as the providers told them, in attempts, issue and usage, each by its own price. */
  async function expectCounted(attempts: readonly Attempt[]) {
    const { client } = bench;
    const { tokens, costUsd } = await client.issue(attempts[0]?.identifier ?? '');
    expect(tokens.total).toBe(sum(attempts.map((one) => one.tokens.total)));
    expect(costUsd).toBeCloseTo(sum(attempts.map((one) => one.costUsd ?? Number.NaN)), 9);
    for (const one of attempts) {
      const price = PRICES[one.model as keyof typeof PRICES];
      expect(one.tokens.total).toBeGreaterThan(2_000);
      const cost = (one.tokens.input * price.input + one.tokens.output * price.output) / 1_000_000;
      expect(one.costUsd).toBeCloseTo(cost, 9);
    }
    const { engines } = await client.must<Usage>('GET', '/usage?days=1');
    const used = (engine: string): EngineUsage | undefined =>
      engines.find((one) => one.engine === engine);
    const [before] = attempts;
    expect(used('claude')).toMatchObject({
      model: 'first-model',
      account: 'first',
      attempts: 1,
      tokens: before?.tokens.total,
      costUsd: expect.closeTo(before?.costUsd ?? Number.NaN, 9),
    });
    expect(used('opencode')).toMatchObject({ model: 'second-model', account: 'second' });
    expect(used('opencode')?.tokens).toBeGreaterThanOrEqual(attempts[1]?.tokens.total ?? 0);
  }
});

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
