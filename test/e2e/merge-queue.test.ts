import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { MergeQueue } from '@switchyard/shared/api/pull-requests/merge-queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../control-plane/scripted-provider/provider-request.ts';
import { DONE, type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';

const RUNNER = 'lib/runner.js run';
const WORK_MS = 20_000;
const SLOW_S = 6;

/** What the agent does for an issue, and what for the pull request that comes back to it. */
const WORK: Readonly<Record<string, { first: string; again?: (asked: string) => string }>> = {
  'Write one': { first: 'echo one > same.txt' },
  'Write two': {
    first: 'sleep 2; echo two > same.txt',
    again: (asked) => {
      const base = /git merge ([0-9a-f]{40})/.exec(asked)?.[1] ?? 'none';
      return `git merge -q ${base}; printf 'one\\ntwo\\n' > same.txt; git add same.txt && git -c user.name=a -c user.email=a@localhost commit -qm both`;
    },
  },
  'Add x': { first: 'echo x > x.txt' },
  'Add y': {
    first: 'sleep 2; echo y > y.txt',
    again: () => 'mv y.txt z.txt',
  },
  'Be slow': { first: 'echo slow > slow.txt' },
};
/** Fails where both files are; takes long where the slow one is. */
const CHECKS = [
  { name: 'one of two', command: 'if test -f x.txt && test -f y.txt; then echo both; exit 1; fi' },
  { name: 'slow', command: `if test -f slow.txt; then sleep ${SLOW_S}; fi` },
];

const askedOf = ({ userTexts }: Pick<ProviderRequest, 'userTexts'>): string =>
  userTexts.findLast(
    (text) => text.includes('pull request for this issue') || text.includes('# '),
  ) ?? '';

const worksByTitle: ReadyScript = (request) => {
  if (request.stepIndex > 0) return say(`I did it.\n\n${DONE}`);
  const all = request.userTexts.join('\n');
  const title = Object.keys(WORK).find((one) => all.includes(`# ${one}\n`)) ?? '';
  const asked = askedOf(request);
  const isBack = asked.includes('Your pull request for this issue');
  const { first = 'true', again } = WORK[title] ?? {};
  return exec(isBack && again !== undefined ? again(asked) : first, WORK_MS);
};

describe('pull requests that are merged when green', { timeout: 180_000 }, () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench({ script: worksByTitle, slots: 3 });
    const { client, repository } = bench;
    const merge = { mode: 'when-green' };
    const route = { label: 'merge', url: repository.url, checks: CHECKS, merge };
    await client.must('POST', '/setup/repo-route', route);
  });
  afterAll(() => bench?.close());

  const create = async (title: string) =>
    (await bench.client.createIssue({ title, labels: ['merge'] })).identifier;
  const merged = (identifier: string): Promise<IssueDetail> =>
    bench.client.issueUntil(identifier, ({ state }) => state === 'Done', 'is merged');

  /** The main branch, each commit on its first line from the oldest. */
  async function mainline(): Promise<string[]> {
    const log = await bench.repository.git(
      'log',
      '--first-parent',
      '--reverse',
      '--format=%H',
      'main',
    );
    return log.split('\n').slice(1);
  }

  it('merges work that conflicts after the agent has resolved the conflict', async () => {
    const [one, two] = [await create('Write one'), await create('Write two')];
    await merged(one);
    const issue = await merged(two);
    expect(issue.attempts.map(({ kind }) => kind).toSorted()).toEqual([
      'check',
      'check',
      'work',
      'work',
    ]);
    expect(
      issue.attempts.filter(({ kind }) => kind === 'check').map(({ tokens }) => tokens.total),
    ).toEqual([0, 0]);
    expect(await bench.repository.git('show', 'main:same.txt')).toBe('one\ntwo');
  });

  it('sends back what passes alone and fails when it is merged', async () => {
    const [x, y] = [await create('Add x'), await create('Add y')];
    await merged(x);
    const issue = await merged(y);
    const failed = issue.attempts.find(({ reasonCode }) => reasonCode === 'checks_failed');
    expect(failed).toMatchObject({ kind: 'check', outcome: 'failed' });
    const files = await bench.repository.git('ls-tree', '--name-only', 'main');
    expect(files.split('\n')).toEqual(expect.arrayContaining(['x.txt', 'z.txt']));
    expect(files).not.toContain('y.txt');
  });

  it('merges once, though both halves are killed during the test', async () => {
    const before = await mainline();
    const slow = await create('Be slow');
    await until(
      () => bench.client.must<MergeQueue>('GET', '/merge-queue'),
      ({ entries }) => entries.some(({ state, attemptId }) => state === 'testing' && attemptId),
      { what: 'a test', timeoutMs: 60_000 },
    );
    await until(
      async () => (await bench.service.processes()).map(({ command }) => command).join('\n'),
      (commands) => commands.includes(`sleep ${SLOW_S}`),
      { what: 'the slow check', timeoutMs: 30_000 },
    );
    const all = await bench.service.processes();
    const runners = all.filter(({ command }) => command.includes(RUNNER)).map(({ pid }) => pid);
    for (const pid of [bench.service.pid, ...runners]) process.kill(pid, 'SIGKILL');
    await bench.restart();
    await merged(slow);
    expect(await mainline()).toHaveLength(before.length + 1);
    const { status } = await bench.client.pullRequestOf(slow);
    expect(status).toBe('merged');
    expect((await bench.client.must<MergeQueue>('GET', '/merge-queue')).entries).toEqual([]);
  });

  it('left a main branch on which every commit passes', async () => {
    const commits = await mainline();
    expect(commits).toHaveLength(5);
    for (const commit of commits) {
      const files = (await bench.repository.git('ls-tree', '--name-only', commit)).split('\n');
      expect(files.includes('x.txt') && files.includes('y.txt')).toBe(false);
      const parents = await bench.repository.git('log', '-1', '--format=%P %s', commit);
      expect(parents).toMatch(
        /^[0-9a-f]{40} [0-9a-f]{40} Merge pull request #\d+ from switchyard\//,
      );
    }
  });
});
