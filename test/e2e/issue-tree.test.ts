import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { IssueTree, SplitResponse } from '@switchyard/shared/api/issue-tree';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../control-plane/scripted-provider/provider-request.ts';
import { DONE, type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';

const RUNNER = 'lib/runner.js run';
const PARENT_TITLE = 'A shop with prices and a search';
const PARENT_TEXT = 'Customers want to see what things cost.';
const PRICES = 'Store the prices';
const LIST = 'List the prices';
const SEARCH = 'Search the shop';
/** Long enough that both halves are killed and are there again while the agents work. */
const WORK_MS = 12_000;

const askedOf = ({ userTexts }: Pick<ProviderRequest, 'userTexts'>): string =>
  userTexts.findLast((text) => text.includes('SWITCHYARD_STATUS')) ?? '';

const COMMANDS: Readonly<Record<string, string>> = {
  [PRICES]: `sleep ${WORK_MS / 1_000} && echo 42 > prices.txt`,
  [LIST]: 'cat prices.txt > list.txt',
  [SEARCH]: `sleep ${WORK_MS / 1_000} && echo found > search.txt`,
};

/** Does what the title of a sub-issue asks for. */
const worksByTitle: ReadyScript = (request) => {
  if (request.stepIndex > 0) return say(`I did it.\n\n${DONE}`);
  const title = Object.keys(COMMANDS).find((one) => askedOf(request).includes(`# ${one}\n`));
  return exec(COMMANDS[title ?? ''] ?? 'echo whole > whole.txt', WORK_MS * 2);
};

// The tests follow one tree of issues: the order matters.
describe('an issue that is split into sub-issues', { timeout: 120_000 }, () => {
  let bench: Bench;
  let parent: string;
  let [prices, list, search] = ['', '', ''];
  beforeAll(async () => {
    bench = await startBench({ script: worksByTitle, slots: 3 });
  });
  afterAll(() => bench?.close());

  async function runnerPids(): Promise<number[]> {
    const all = await bench.service.processes();
    return all.filter(({ command }) => command.includes(RUNNER)).map(({ pid }) => pid);
  }

  async function merge(identifier: string): Promise<PullRequest> {
    const { id } = await bench.client.pullRequestOf(identifier);
    const merged = await bench.client.must<PullRequest>('POST', `/local/pull-requests/${id}/merge`);
    await bench.client.issueUntil(identifier, ({ state }) => state === 'Done', 'is done');
    return merged;
  }

  /** What the model was asked for in an issue's only attempt. */
  async function promptOf(identifier: string): Promise<string> {
    const { attempts } = await bench.client.issue(identifier);
    expect(attempts).toHaveLength(1);
    const request = bench.provider.requests.find(
      ({ threadId, isSide }) => threadId === attempts[0]?.threadId && !isSide,
    );
    if (request === undefined) throw new Error(`no model was asked for ${identifier}`);
    return askedOf(request);
  }

  const ofParent = { attemptCount: 0, attempts: [], pullRequestUrl: null };

  it('waits for them, and they for each other, while the others are worked on', async () => {
    const { client } = bench;
    const whole = { title: PARENT_TITLE, description: PARENT_TEXT, state: 'Backlog' };
    parent = (await client.createIssue(whole)).identifier;
    const subIssues = [{ title: PRICES }, { title: LIST, blockedBy: ['#1'] }, { title: SEARCH }];
    const path = `/${parent}/sub-issues`;
    const split = await client.must<SplitResponse>('POST', path, { subIssues });
    expect(split.issue).toMatchObject({ status: 'idle', reasonCode: 'sub_issues_open' });
    const made = split.subIssues.map(({ identifier }) => identifier);
    [prices, list, search] = [made[0] ?? '', made[1] ?? '', made[2] ?? ''];
    expect(made).toHaveLength(3);
    await client.must('PATCH', `/local/issues/${parent}`, { state: 'Todo' });
    await Promise.all([client.commandRunning(prices), client.commandRunning(search)]);
    expect(await client.issue(list)).toMatchObject({
      status: 'idle',
      attempts: [],
      parent: { identifier: parent },
      blockedBy: [{ identifier: prices }],
    });
  });

  it('goes on where it was after both halves were killed', async () => {
    const runners = await runnerPids();
    expect(runners).toHaveLength(1);
    for (const pid of [bench.service.pid, ...runners]) process.kill(pid, 'SIGKILL');
    await until(runnerPids, ({ length }) => length === 0, { what: 'no runner', timeoutMs: 10_000 });
    await bench.restart();
    const { client, repository } = bench;
    for (const identifier of [prices, search]) {
      const issue = await client.settled(identifier);
      expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed', attemptCount: 1 });
    }
    expect(await client.issue(list)).toMatchObject({ status: 'idle', attempts: [] });
    expect(await client.issue(parent)).toMatchObject({
      ...ofParent,
      status: 'idle',
      reasonCode: 'sub_issues_open',
      reason: `waits for its sub-issues ${prices}, ${list}, ${search} (0 of 3 ended)`,
    });
    const branches = [prices, search].map(
      async (identifier) => (await client.pullRequestOf(identifier)).branch,
    );
    const [ofPrices = '', ofSearch = ''] = await Promise.all(branches);
    expect(ofPrices).not.toBe(ofSearch);
    const changed = (branch: string) => repository.git('diff', '--name-only', 'main', branch);
    expect(await changed(ofPrices)).toBe('prices.txt');
    expect(await changed(ofSearch)).toBe('search.txt');
  });

  it('begins the blocked sub-issue on the merged work of the one that it waited for', async () => {
    const { client, repository } = bench;
    const { mergeCommitSha } = await merge(prices);
    const issue = await client.settled(list);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed', attemptCount: 1 });
    const { branch } = await client.pullRequestOf(list);
    await repository.git('merge-base', '--is-ancestor', mergeCommitSha ?? '', branch);
    expect(await repository.git('show', `${branch}:list.txt`)).toBe('42');
    expect(await repository.git('diff', '--name-only', 'main', branch)).toBe('list.txt');
    expect(await client.issue(parent)).toMatchObject({
      ...ofParent,
      reason: `waits for its sub-issues ${list}, ${search} (1 of 3 ended)`,
    });
  });

  it('is done when they are, and no agent ever worked on it', async () => {
    const { client } = bench;
    await merge(list);
    await merge(search);
    const isDone = ({ state, status }: { state: string; status: string }) =>
      state === 'Done' && status === 'completed';
    const issue = await client.issueUntil(parent, isDone, 'is done');
    expect(issue).toMatchObject({
      ...ofParent,
      reasonCode: 'sub_issues_done',
      reason: '3 of 3 sub-issues are done',
    });
    const { issues } = await client.must<IssueTree>('GET', `/${search}/tree`);
    expect(issues).toMatchObject([
      { identifier: parent, depth: 0, state: 'Done', pullRequestUrl: null },
      { identifier: prices, depth: 1, parent, state: 'Done' },
      { identifier: list, depth: 1, parent, state: 'Done' },
      { identifier: search, depth: 1, parent, state: 'Done' },
    ]);
    const urls = issues.slice(1).map(({ pullRequestUrl }) => pullRequestUrl);
    expect(new Set(urls.filter((url) => url !== null)).size).toBe(3);
  });

  it('tells the agent of each sub-issue what it is a part of', async () => {
    for (const identifier of [prices, list, search]) {
      const prompt = await promptOf(identifier);
      expect(prompt).toContain(PARENT_TITLE);
      expect(prompt).toContain(PARENT_TEXT);
    }
    const asked = bench.provider.requests.map(askedOf);
    expect(asked.some((text) => text.includes(`work on issue ${parent} `))).toBe(false);
  });
});
