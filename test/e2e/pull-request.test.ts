import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { failingTestIssue } from '../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt, commitsItself } from '../support/scripted-model/scripts.ts';
import { askAsStranger } from '../support/e2e/ask-as-stranger.ts';
import { EventReader } from '../support/e2e/event-reader.ts';
import { filesWith } from '../support/e2e/files-with.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

// One issue goes the whole way, and each test looks at one side of it: the order matters.
describe('from an issue to a merged pull request', () => {
  let bench: Bench;
  let pullRequest: PullRequest;
  let mainBefore = '';
  const seen: { seqs: number[]; strange: string[]; texts: string[] } = {
    seqs: [],
    strange: [],
    texts: [],
  };

  beforeAll(async () => {
    const scripts = [{ match: 'case:own-commit', script: commitsItself }];
    bench = await startBench({ script: byPrompt(scripts, fixFailingTest()) });
    mainBefore = await bench.repository.git('rev-parse', 'main');
  });
  afterAll(() => bench?.close());

  /** Reads events until one fits, then cuts the connection. Returns the last id that was read. */
  async function readUntil(
    from: Parameters<typeof EventReader.open>[1],
    fits: (text: string) => boolean,
  ): Promise<number> {
    const reader = await EventReader.open(bench.client.url, from);
    await reader.waitFor((event) => fits(JSON.stringify(event)), 60_000);
    await reader.close();
    expect(reader.frames.map(({ id }) => id)).toEqual(reader.seqs);
    seen.seqs.push(...reader.seqs);
    seen.texts.push(...reader.frames.map(({ event }) => JSON.stringify(event)));
    seen.strange.push(...reader.strangeLines);
    return reader.frames.at(-1)?.id ?? 0;
  }

  it('completes the issue while every event is followed over two broken connections', async () => {
    const { client } = bench;
    const first = readUntil({ query: '?after=0' }, (text) => text.includes('"kind":"thread"'));
    const { identifier } = await client.createIssue({ ...failingTestIssue, labels: ['bug'] });
    expect(identifier).toBe('SY-1');
    const second = await readUntil({ lastEventId: await first }, (text) =>
      text.includes('"type":"file_change"'),
    );
    await readUntil({ lastEventId: second }, (text) => text.includes('"type":"issue.completed"'));

    const issue = await client.issueUntil('SY-1', ({ state }) => state === 'In Review', 'review');
    expect(issue).toMatchObject({ status: 'completed', attemptCount: 1, labels: ['bug'] });
    expect(issue.attempts[0]).toMatchObject({ status: 'completed', outcome: 'completed' });
  });

  it('gives every event exactly once, in order, and the same as a replay of all', async () => {
    const last = seen.seqs.at(-1) ?? 0;
    expect(seen.seqs).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    const replay = await EventReader.open(bench.client.url, { query: '?after=0' });
    await replay.waitFor(({ seq }) => seq >= last);
    await replay.close();
    const texts = replay.frames.map(({ event }) => JSON.stringify(event));
    expect(texts.slice(0, last)).toEqual(seen.texts);
    expect([...seen.strange, ...replay.strangeLines]).toEqual([]);
  });

  it('filters events by issue and type', async () => {
    const query = '?after=0&issue=SY-1&types=issue.started,issue.completed';
    const reader = await EventReader.open(bench.client.url, { query });
    await reader.waitFor(({ type }) => type === 'issue.completed');
    await reader.close();
    expect(reader.frames.map(({ event }) => event.type)).toEqual([
      'issue.started',
      'issue.completed',
    ]);
  });

  it("has the agent's commit on the branch in the repository", async () => {
    const { client, repository } = bench;
    pullRequest = await client.pullRequestOf('SY-1');
    const { branch, commitSha } = pullRequest;
    expect(branch).toMatch(/^switchyard\/sy-1-[a-z0-9-]+$/);
    expect(await repository.git('rev-parse', branch)).toBe(commitSha);
    expect(await repository.git('rev-parse', `${branch}~1`)).toBe(mainBefore);
    expect(await repository.git('log', '-1', '--format=%an <%ae>', branch)).toBe(
      'Switchyard <switchyard@localhost>',
    );
    const changed = await repository.git('diff', '--name-only', 'main', branch);
    expect(changed).toBe('src/format-duration.js');
    const code = await repository.git('show', `${branch}:src/format-duration.js`);
    expect(code).toContain('Math.floor(rest / seconds)');
    expect(await repository.git('rev-parse', 'main')).toBe(mainBefore);
  });

  it('shows the pull request on the issue, its record and its diff', async () => {
    const { client } = bench;
    const issue = await client.issue('SY-1');
    expect(issue.pullRequestUrl).toBe(pullRequest.url);
    expect(issue.attempts[0]).toMatchObject({
      branch: pullRequest.branch,
      commitSha: pullRequest.commitSha,
      pullRequestUrl: pullRequest.url,
    });
    expect(pullRequest).toMatchObject({
      status: 'open',
      base: 'main',
      draft: false,
      issueIdentifier: 'SY-1',
      diffStat: { files: 1, insertions: 2, deletions: 2 },
    });
    expect(pullRequest.body).toContain('`formatDuration` counted units');
    const diff = await client.ask('GET', `/api/v1/local/pull-requests/${pullRequest.id}/diff`);
    expect(diff.status, JSON.stringify(diff.body)).toBe(200);
    expect(diff.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(diff.body).toContain("+  return parts.join(' ') || '0 s';");
  });

  it('keeps one comment on the issue, which says that it is delivered', async () => {
    const comments = await bench.client.comments('SY-1');
    expect(comments).toHaveLength(1);
    expect(comments[0]).toMatchObject({ byService: true });
    expect(comments[0]?.body).toContain('delivered (attempt 1)');
    expect(comments[0]?.body).toContain(`review ${pullRequest.url}`);
  });

  it('asked the provider with its own key, which stands in no answer, log or file', async () => {
    const { client, provider, apiKey } = bench;
    expect(provider.requests.length).toBeGreaterThan(5);
    expect(provider.requests.every(({ authorized }) => authorized)).toBe(true);
    const attemptId = (await client.issue('SY-1')).attempts[0]?.attemptId ?? '';
    const answers = await Promise.all(
      ['/state', '/SY-1', `/attempts/${attemptId}?limit=500`, '/config', '/audit', '/runners'].map(
        (path) => client.ask('GET', `/api/v1${path}`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(JSON.stringify(answers)).not.toContain(apiKey);
    expect(bench.service.output()).not.toContain(apiKey);
    expect(await filesWith(bench.service.dataDir, failingTestIssue.title)).not.toEqual([]);
    expect(await filesWith(bench.service.dataDir, apiKey)).toEqual([]);
  });

  it('merges into main in the repository and moves the issue to Done', async () => {
    const { client, repository } = bench;
    const path = `/api/v1/local/pull-requests/${pullRequest.id}/merge`;
    // Two people click at once: it is merged once.
    const clicks = await Promise.all([
      client.ask<PullRequest>('POST', path),
      client.ask<PullRequest>('POST', path),
    ]);
    expect(clicks.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const merged = clicks.find(({ status }) => status === 200)?.body;
    expect(merged).toMatchObject({ status: 'merged', base: 'main' });
    expect(await repository.git('rev-parse', 'main')).toBe(merged?.mergeCommitSha);
    const code = await repository.git('show', 'main:src/format-duration.js');
    expect(code).toContain('Math.floor(rest / seconds)');
    await repository.git('merge-base', '--is-ancestor', pullRequest.commitSha, 'main');
    await client.issueUntil('SY-1', ({ state }) => state === 'Done', 'is done', 10_000);
    const said = { status: 'completed', reasonCode: 'pull_request_merged' };
    expect(await client.issue('SY-1')).toMatchObject(said);
    const again = await client.ask('POST', path);
    expect(again).toMatchObject({ status: 409, body: { status: 409 } });
  });

  it('delivers what the agent committed by itself, and closes it without merging', async () => {
    const { client, repository } = bench;
    const mainNow = await repository.git('rev-parse', 'main');
    const { identifier } = await client.createIssue({ title: 'Add a file, case:own-commit' });
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    const { id, branch, commitSha } = await client.pullRequestOf(identifier);
    expect(await repository.git('log', '-1', '--format=%an: %s', branch)).toBe(
      'Agent: Add agent.txt',
    );
    expect(await repository.git('rev-parse', branch)).toBe(commitSha);
    const closed = await client.must<PullRequest>('POST', `/local/pull-requests/${id}/close`);
    expect(closed).toMatchObject({ status: 'closed', mergeCommitSha: null });
    expect(await repository.git('rev-parse', 'main')).toBe(mainNow);
    const merge = await client.ask('POST', `/api/v1/local/pull-requests/${id}/merge`);
    expect(merge.status).toBe(409);
  });

  it('opens nothing to strangers beside its own page and health', async () => {
    const { pid, dataDir, url } = bench.service;
    const kept = ['local-secret', 'master.key'].map((name) =>
      readFile(join(dataDir, name), 'utf8'),
    );
    const secrets = [bench.apiKey, ...(await Promise.all(kept)).map((text) => text.trim())];
    expect(await askAsStranger({ pid, dataDir, service: url, secrets })).toEqual({
      listeners: ['egress-proxy.js', 'switchyard.js'].map((program) => `${program} at 127.0.0.1`),
      problems: [],
    });
  });

  it('left an audit row for every change', async () => {
    const audit = await bench.client.audit();
    const rows = audit.map(({ operation, subject }) => `${operation} ${subject}`);
    // What people did …
    expect(rows).toEqual(
      expect.arrayContaining([
        'repo-route.add repos',
        'local_issue.create SY-1',
        'local_issue.create SY-2',
        'pull_request.merge SY-1',
        'pull_request.close SY-2',
      ]),
    );
    // … and what the service did by itself, under its own name.
    const own = audit.filter(({ actor }) => actor === 'service').map(({ operation }) => operation);
    expect(own).toEqual(
      expect.arrayContaining([
        'runner.token.create',
        'local_issue.transition',
        'local_issue.comment',
        'local_issue.attach',
        'pull_request.open',
      ]),
    );
  });
});
