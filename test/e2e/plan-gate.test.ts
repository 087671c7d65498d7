import { READS_ONLY } from '@switchyard/shared/model-providers/scripted-model';
import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../control-plane/scripted-provider/provider-request.ts';
import { DONE, type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { runnerConnected } from '../support/e2e/start-service.ts';

const RUNNER = 'lib/runner.js run';
const FIRST = '## Steps\n1. Write one page.\n\n## Files\n- `work.txt`';
const SECOND = '## Steps\n1. Write two pages.\n\n## Files\n- `work.txt`';
const EDITED = '## Steps\n1. Write three pages, in blue.\n\n## Files\n- `work.txt`';
const WORDS = 'One page is too few: write two.';
const QUESTION = 'Which colour has the page?';
const ASKING = `${FIRST}\n\n## Questions\n- ${QUESTION}`;

/** What the agent was asked last; before it stands what its thread was asked earlier. */
const askedOf = ({ userTexts }: Pick<ProviderRequest, 'userTexts'>): string =>
  userTexts.findLast((text) => text.includes('SWITCHYARD_STATUS')) ?? '';

/** Plans where it is asked to, and tries to write all the same; works where it is asked to. */
const plansAndWorks: ReadyScript = (request) => {
  const asked = askedOf(request);
  const isPlan = asked.includes(READS_ONLY);
  if (request.stepIndex === 0) {
    return exec(isPlan ? 'git ls-files; echo x > planted.txt' : 'echo done > work.txt');
  }
  if (!isPlan) return say(`I did it.\n\n${DONE}`);
  return say(`${planFor(asked)}\n\n${DONE}`);
};

function planFor(asked: string): string {
  if (asked.includes('case:asks')) return ASKING;
  return asked.includes(WORDS) ? SECOND : FIRST;
}

// The tests follow one issue on a runner with one slot: the order matters.
describe('work that begins with a plan', { timeout: 120_000 }, () => {
  let bench: Bench;
  let sentBack: string;
  beforeAll(async () => {
    const byLabel = { ask: 'ask', auto: 'auto' };
    bench = await startBench({
      script: plansAndWorks,
      slots: 1,
      config: { 'agent.plan': JSON.stringify({ byLabel }), 'agent.retryBaseMs': 100 },
    });
  });
  afterAll(() => bench?.close());

  const planned = async (title: string, label: string) =>
    (await bench.client.createIssue({ title, labels: [label] })).identifier;

  /** The plan that an issue waits with. */
  async function waitingPlan(identifier: string): Promise<HumanRequest> {
    const { client } = bench;
    const issue = await client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({
      status: 'blocked',
      reasonCode: 'plan_waiting',
      pullRequestUrl: null,
    });
    const { requests } = await client.must<{ requests: HumanRequest[] }>(
      'GET',
      '/requests?state=asked',
    );
    const found = requests.find((request) => request.identifier === identifier);
    if (found === undefined) throw new Error(`${identifier} waits with no plan`);
    return found;
  }

  async function decide({ requestId }: HumanRequest, answers: Record<string, string[]>) {
    const path = `/api/v1/requests/${requestId}/answer`;
    const told = await bench.client.ask('POST', path, { answers });
    expect(told, JSON.stringify(told.body)).toMatchObject({ status: 202 });
  }

  /** Everything of an issue that was pushed, also unfinished work under hidden names. */
  async function pushedFor(identifier: string): Promise<string[]> {
    const names = await bench.repository.git('for-each-ref', '--format=%(refname)');
    return names
      .split('\n')
      .filter((name) => name.toLowerCase().includes(identifier.toLowerCase()));
  }

  /** Files of the issue's pull request that its base does not have. */
  async function changedBy(identifier: string): Promise<string> {
    const { branch } = await bench.client.pullRequestOf(identifier);
    return bench.repository.git('diff', '--name-status', 'main', branch);
  }

  /** Requests to the model of the attempts on an issue, in order, by what they ask for. */
  function askedFor(attempt: Attempt | undefined, told: string): ProviderRequest[] {
    return bench.provider.requests.filter(
      (request) =>
        request.threadId === attempt?.threadId &&
        !request.isSide &&
        askedOf(request).includes(told),
    );
  }

  async function runnerPids(): Promise<number[]> {
    const all = await bench.service.processes();
    return all.filter(({ command }) => command.includes(RUNNER)).map(({ pid }) => pid);
  }

  it('pushes nothing while its plan waits for a person', async () => {
    const { client } = bench;
    sentBack = await planned('case:ask', 'ask');
    const request = await waitingPlan(sentBack);
    expect(request.plan).toEqual({ text: FIRST, isStale: false });
    const { attempts } = await client.issue(sentBack);
    expect(attempts).toMatchObject([{ kind: 'plan', outcome: 'completed' }]);
    expect(await pushedFor(sentBack)).toEqual([]);
    await expect(client.pullRequestOf(sentBack)).rejects.toThrow('no pull request');
  });

  it('holds no slot meanwhile, in which another goes on by itself, since the policy approves its plan', async () => {
    const { client } = bench;
    const identifier = await planned('case:auto', 'auto');
    const issue = await client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    expect(issue.attempts).toMatchObject([{ kind: 'work' }, { kind: 'plan' }]);
    expect(await changedBy(identifier)).toBe('A\twork.txt');
    expect((await client.requests()).find((one) => one.identifier === identifier)).toMatchObject({
      state: 'resumed',
      answers: { plan: ['Approve'] },
      answeredBy: 'service',
    });
    await waitingPlan(sentBack);
  });

  it('is planned anew with what a person says, and done by the plan as a person edited it', async () => {
    await decide(await waitingPlan(sentBack), { plan: [WORDS] });
    const second = await waitingPlan(sentBack);
    expect(second.plan?.text).toBe(SECOND);
    expect(await pushedFor(sentBack)).toEqual([]);
    await decide(second, { plan: ['Approve'], edited_plan: [EDITED] });
    const issue = await bench.client.settled(sentBack);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    expect(issue.attempts).toMatchObject([{ kind: 'work' }, { kind: 'plan' }, { kind: 'plan' }]);
    const [attempt, ...before] = issue.attempts;
    for (const { threadId } of before) expect(threadId).toBe(attempt?.threadId);
    const [again] = askedFor(attempt, WORDS);
    expect(JSON.stringify(again?.input)).toContain('Write one page.');
    const [work] = askedFor(attempt, 'Write three pages, in blue.');
    expect(work && askedOf(work)).toContain('## The approved plan');
    expect(work && askedOf(work)).not.toContain(READS_ONLY);
    expect(JSON.stringify(work?.input)).toContain('Write two pages.');
    expect(await changedBy(sentBack)).toBe('A\twork.txt');
  });

  it('waits with a question whatever the policy, also through a killed runner and a restart', async () => {
    const identifier = await planned('case:asks', 'auto');
    const request = await waitingPlan(identifier);
    expect(request.questions.map(({ question }) => question)).toContain(QUESTION);
    const [killed] = await runnerPids();
    process.kill(killed ?? 0, 'SIGKILL');
    await expect.poll(runnerPids, { timeout: 30_000 }).toEqual([expect.not.toBeOneOf([killed])]);
    await runnerConnected(bench.service);
    expect(await waitingPlan(identifier)).toEqual(request);
    await bench.service.stop('SIGTERM');
    await bench.restart();
    expect(await waitingPlan(identifier)).toEqual(request);
    await decide(request, { plan: ['Approve'], question_1: ['Blue'] });
    const issue = await bench.client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    const [attempt, before] = issue.attempts;
    expect(attempt?.threadId).toBe(before?.threadId);
    const [work] = askedFor(attempt, '## The approved plan');
    expect(work && askedOf(work)).toContain(`${QUESTION}\n\n\`\`\`text\nBlue\n\`\`\``);
    expect(await changedBy(identifier)).toBe('A\twork.txt');
  });

  it('goes the whole way on trial, too', async () => {
    const { client, provider } = bench;
    await client.must('PATCH', '/config/overlay/engine.trial', { value: true });
    const asked = provider.requests.length;
    const identifier = await planned('case:trial', 'auto');
    const issue = await client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    expect(issue.attempts).toMatchObject([{ kind: 'work' }, { kind: 'plan' }]);
    expect(await changedBy(identifier)).toMatch(/^[AM]\tREADME\.md$/);
    expect(provider.requests).toHaveLength(asked);
  });
});
