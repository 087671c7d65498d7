import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { type CallRoute, createRouteApp } from '../../../../../test/support/route-app.ts';
import { createTestDatabase } from '../../../../../test/support/test-database.ts';
import { type TestPorts, createTestPorts } from '../../../../../test/support/test-ports.ts';
import { audit } from '../../../db/schema/operation/audit.ts';
import { eventChunks } from '../../../db/schema/operation/events.ts';
import { AppError } from '../../../errors.ts';
import type { OpenPullRequest } from '../../../ports/code-host/code-host.ts';
import { createLocalCodeHost } from './local-code-host.ts';
import type { MergeInRepository } from '../../../ports/code-host/merge-in-repository.ts';
import { localPullRequestEndRoutes, localPullRequestRoutes } from './routes.ts';

const BASE = '/api/v1/local/pull-requests';
const MERGED = 'c'.repeat(40);

describe('routes of local pull requests', () => {
  let ports: TestPorts;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let call: CallRoute;
  let merge: MergeInRepository;
  let told: string[];
  let open: (overrides?: Partial<OpenPullRequest>) => Promise<PullRequest>;

  beforeEach(async () => {
    database = await createTestDatabase();
    ports = createTestPorts();
    told = [];
    merge = async () => ({ mergeCommit: MERGED });
    const tell = async ({ id, status }: PullRequest) => void told.push(`${id} ${status}`);
    const origin = 'https://switchyard.example/';
    const deps = { db: database.db, ...ports, publicOrigin: () => origin };
    call = createRouteApp(ports.logger, [
      ...localPullRequestRoutes(deps),
      ...localPullRequestEndRoutes({ ...deps, merge: (input) => merge(input), onMerged: tell }),
    ]);
    const codeHost = createLocalCodeHost(deps);
    open = (overrides) => codeHost.openPullRequest({ ...DELIVERY, ...overrides });
  });
  afterEach(() => database.close());

  it('shows one and lists newest first, by status', async () => {
    const first = await open();
    ports.clock.advance(1);
    const second = await open({ branch: 'switchyard/sy-2' });
    await call('POST', `${BASE}/${first.id}/close`);
    expect((await call('GET', `${BASE}/${second.id}`)).body).toEqual(second);
    expect(second.url).toBe(`https://switchyard.example/pull-requests/${second.id}`);
    const ids = async (query: string) => {
      const { body } = await call('GET', `${BASE}${query}`);
      const page = body as { pullRequests: PullRequest[]; total: number };
      return [page.pullRequests.map(({ id }) => id), page.total];
    };
    expect(await ids('')).toEqual([[second.id, first.id], 2]);
    expect(await ids('?limit=1')).toEqual([[second.id], 2]);
    expect(await ids('?status=closed')).toEqual([[first.id], 1]);
    expect(await call('GET', `${BASE}?status=nope`)).toMatchObject({ status: 400 });
  });

  it('shows the diff as text that no browser takes for a page', async () => {
    const diff = '--- a/x\n+++ b/x\n+<script>\n';
    await ports.blobs.put('diff-1', new TextEncoder().encode(diff));
    const { id } = await open({ diffBlob: 'diff-1' });
    const answer = await call('GET', `${BASE}/${id}/diff`);
    expect(answer).toMatchObject({ status: 200, body: diff });
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain/);
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  it('knows no diff where none was stored or it is gone', async () => {
    const none = await open();
    const gone = await open({ branch: 'other', diffBlob: 'gone' });
    for (const { id } of [none, gone]) {
      expect(await call('GET', `${BASE}/${id}/diff`)).toMatchObject({ status: 404 });
    }
  });

  it('merges what the person saw, records it once and passes it on', async () => {
    const asked: unknown[] = [];
    merge = async (input) => {
      asked.push(input);
      return { mergeCommit: MERGED };
    };
    const { id } = await open();
    const answer = await call('POST', `${BASE}/${id}/merge`);
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'merged', mergeCommitSha: MERGED },
    });
    expect(asked).toEqual([
      {
        repositoryUrl: 'file:///srv/repo.git',
        issueIdentifier: 'SY-1',
        branch: 'switchyard/sy-1',
        baseBranch: 'main',
        expectedCommit: 'a'.repeat(40),
        message: 'Merge pull request #1 from switchyard/sy-1\n\nSY-1: Fix it\n',
      },
    ]);
    expect(told).toEqual([`${id} merged`]);
    expect((await call('GET', `${BASE}/${id}`)).body).toEqual(answer.body);
    const entries = await database.db.select().from(audit);
    expect(entries.at(-1)).toMatchObject({ operation: 'pull_request.merge', actor: 'local' });
    const chunks = await database.db.select().from(eventChunks);
    expect(chunks.flatMap((chunk) => chunk.items)).toMatchObject([
      { type: 'pull_request.opened', data: { identifier: 'SY-1', pullRequestId: id } },
      { type: 'pull_request.merged', data: { identifier: 'SY-1', pullRequestId: id } },
    ]);
    expect(database.notified()).toBe(2);
    expect(await call('POST', `${BASE}/${id}/merge`)).toMatchObject({
      status: 409,
      body: { error: `pull request ${id} is already merged` },
    });
    expect(await call('POST', `${BASE}/${id}/close`)).toMatchObject({ status: 409 });
    expect(told).toHaveLength(1);
  });

  it('records one merge when two people ask at once', async () => {
    const { id } = await open();
    const answers = await Promise.all([1, 2].map(() => call('POST', `${BASE}/${id}/merge`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(told).toEqual([`${id} merged`]);
  });

  it.each([
    ['unavailable', 503, 'no runner is connected'],
    ['conflict', 409, 'src/sum.js conflicts with main'],
  ] as const)('stays open when the merge is refused: %s', async (code, status, message) => {
    merge = async () => {
      throw new AppError(code, message);
    };
    const { id } = await open();
    expect(await call('POST', `${BASE}/${id}/merge`)).toMatchObject({
      status,
      body: { error: message },
    });
    expect(await call('GET', `${BASE}/${id}`)).toMatchObject({ body: { status: 'open' } });
    expect(told).toEqual([]);
  });

  it('records a merge that a close overtook: the repository has it', async () => {
    const { id } = await open();
    merge = async () => {
      await call('POST', `${BASE}/${id}/close`);
      return { mergeCommit: MERGED };
    };
    expect(await call('POST', `${BASE}/${id}/merge`)).toMatchObject({ body: { status: 'merged' } });
    expect(told).toEqual([`${id} merged`]);
  });

  it.each([
    ['GET', ''],
    ['GET', '/diff'],
    ['POST', '/merge'],
    ['POST', '/close'],
  ])('does not know a pull request that does not exist: %s %s', async (method, path) => {
    expect(await call(method, `${BASE}/pr_unknown${path}`)).toMatchObject({
      status: 404,
      body: { error: 'pull request pr_unknown not found' },
    });
  });
});

const DELIVERY: OpenPullRequest = {
  repositoryUrl: 'file:///srv/repo.git',
  branch: 'switchyard/sy-1',
  base: 'main',
  baseCommit: '0'.repeat(40),
  commitSha: 'a'.repeat(40),
  title: 'SY-1: Fix it',
  body: 'Why',
  draft: false,
  diffStat: { files: 1, insertions: 1, deletions: 0 },
  diffBlob: null,
  issueIdentifier: 'SY-1',
  attemptId: 'att_000000000001',
};
