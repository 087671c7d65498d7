import type { ReviewList } from '@switchyard/shared/api/pull-requests/review';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DONE, type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';

const RUNNER = 'lib/runner.js run';
const WORK_MS = 30_000;
const SLOW_S = 8;
const REVIEWS = 'You review the work of another agent';
const FINDING = { severity: 'must', path: 'divide.txt', line: 1, text: 'It divides by zero.' };

const handedIn = (value: unknown) =>
  say(`Read.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n${DONE}`);

/** The reviewer reads the commit that it is told, and writes where it must not. */
const review: ReadyScript = (request) => {
  const all = request.userTexts.join('\n');
  const [, base, commit] = /git diff ([0-9a-f]{40}) ([0-9a-f]{40})/.exec(all) ?? [];
  const isSlow = all.includes('# Be slow\n');
  if (request.stepIndex === 0) {
    const isAt = `test "$(git rev-parse HEAD)" = ${commit} && git diff ${base} ${commit}`;
    return exec(`${isAt} && echo mine > scribble.txt${isSlow ? `; sleep ${SLOW_S}` : ''}`, WORK_MS);
  }
  const mends = JSON.stringify(request).includes('x / 1');
  if (isSlow || mends) return handedIn({ verdict: 'approve', summary: 'Fine.' });
  return handedIn({ verdict: 'request_changes', summary: 'Not yet.', findings: [FINDING] });
};

const work: ReadyScript = (request) => {
  if (request.stepIndex > 0) return say(`I did it.\n\n${DONE}`);
  const asked = request.userTexts.at(-1) ?? '';
  if (asked.includes('It divides by zero.')) return exec('echo "x / 1" > divide.txt', WORK_MS);
  const isSlow = request.userTexts.join('\n').includes('# Be slow\n');
  return exec(isSlow ? 'echo slow > slow.txt' : 'echo "x / 0" > divide.txt', WORK_MS);
};

const byTask: ReadyScript = (request) =>
  request.userTexts.join('\n').includes(REVIEWS) ? review(request) : work(request);

describe('pull requests that another agent reviews', { timeout: 180_000 }, () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench({ script: byTask, slots: 2 });
    const { client, repository } = bench;
    const route = {
      label: 'review',
      url: repository.url,
      checks: [{ name: 'test', command: 'test ! -f scribble.txt' }],
      merge: { mode: 'when-green' },
      review: { mode: 'require' },
    };
    await client.must('POST', '/setup/repo-route', route);
  });
  afterAll(() => bench?.close());

  const create = async (title: string) =>
    (await bench.client.createIssue({ title, labels: ['review'] })).identifier;
  const merged = (identifier: string): Promise<IssueDetail> =>
    bench.client.issueUntil(identifier, ({ state }) => state === 'Done', 'is merged');
  async function reviewsOf(identifier: string) {
    const { id } = await bench.client.pullRequestOf(identifier);
    return (await bench.client.must<ReviewList>('GET', `/pull-requests/${id}/reviews`)).reviews;
  }

  it('go back to their author, who goes on where it was, and are merged once approved', async () => {
    const identifier = await create('Divide');
    const issue = await merged(identifier);
    const kinds = issue.attempts.toReversed().map(({ kind }) => kind);
    expect(kinds).toEqual(['work', 'review', 'work', 'review', 'check']);
    const threads = issue.attempts.flatMap(({ kind, threadId }) =>
      kind === 'work' ? threadId : [],
    );
    expect(threads[0]).not.toBeNull();
    expect(new Set(threads).size).toBe(1);
    expect(await reviewsOf(identifier)).toMatchObject([
      { number: 2, verdict: 'approved', returned: false },
      { number: 1, verdict: 'changes_requested', returned: true, findings: [FINDING] },
    ]);
    expect(await bench.repository.git('show', 'main:divide.txt')).toBe('x / 1');
    const files = await bench.repository.git('ls-tree', '--name-only', 'main');
    expect(files).not.toContain('scribble');
  });

  it('are reviewed once, though both halves are killed during the review', async () => {
    const identifier = await create('Be slow');
    await until(
      async () => (await bench.service.processes()).map(({ command }) => command).join('\n'),
      (commands) => commands.includes(`sleep ${SLOW_S}`),
      { what: 'the slow review', timeoutMs: 60_000 },
    );
    const all = await bench.service.processes();
    const runners = all.filter(({ command }) => command.includes(RUNNER)).map(({ pid }) => pid);
    for (const pid of [bench.service.pid, ...runners]) process.kill(pid, 'SIGKILL');
    await bench.restart();
    const issue = await merged(identifier);
    expect(issue.attempts.filter(({ kind }) => kind === 'work')).toHaveLength(1);
    expect(await reviewsOf(identifier)).toMatchObject([{ number: 1, verdict: 'approved' }]);
    const files = await bench.repository.git('ls-tree', '--name-only', 'main');
    expect(files).not.toContain('scribble');
  });
});
