import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Issue } from '@switchyard/shared/api/work/issue';
import { createLocalTrackerFixture } from '../../../../../test/support/local-tracker-fixture.ts';
import { type CallRoute, createRouteApp } from '../../../../../test/support/route-app.ts';
import { issues } from '../../../db/schema/work/issues.ts';
import { issueRecord } from '../../../issues/issue-record.ts';
import { createLocalTracker } from './local-tracker.ts';
import { localAttachmentRoutes, localCommentRoutes } from './comments/routes.ts';
import { localIssueRoutes } from './routes.ts';

describe('routes of local issues', () => {
  let fixture: Awaited<ReturnType<typeof createLocalTrackerFixture>>;
  let call: CallRoute;
  let woken: number;
  let handedOver: unknown[];
  let failHandOver: boolean;

  beforeEach(async () => {
    fixture = await createLocalTrackerFixture();
    woken = 0;
    handedOver = [];
    failHandOver = false;
    const deps = {
      ...fixture.deps,
      logger: fixture.ports.logger,
      wake: () => void (woken += 1),
    };
    call = createRouteApp(fixture.ports.logger, [
      ...localIssueRoutes({ ...deps, toRecord: (row) => issueRecord(row, null) }),
      ...localCommentRoutes({
        ...deps,
        onHumanComment: async (issue, comment) => {
          if (failHandOver) throw new Error('nobody home');
          handedOver.push([issue, comment.body]);
        },
      }),
      ...localAttachmentRoutes({ ...deps, ownLink: (link) => link }),
    ]);
  });
  afterEach(() => fixture.close());

  const create = async (body: object) => {
    const answer = await call('POST', '/api/v1/local/issues', body);
    expect(answer.status).toBe(201);
    return Issue.parse(answer.body);
  };

  it('answers a new issue as a whole record and wakes the coordinator', async () => {
    const issue = await create({ title: 'Add a page' });
    expect(issue).toMatchObject({
      identifier: 'SY-1',
      tracker: 'local',
      state: 'Todo',
      status: 'idle',
      attemptCount: 0,
      tokens: { total: 0 },
      dispatchable: true,
    });
    expect(woken).toBe(1);
    const [row] = await fixture.deps.db.select().from(issues);
    expect(row && issueRecord(row, null)).toEqual(issue);
  });

  it.each([
    ['an unknown field', { title: 'a', nope: 1 }],
    ['no title', {}],
    ['a blank title', { title: ' \n ' }],
    ['a title that is too long', { title: 'x'.repeat(501) }],
    ['an unknown state', { title: 'a', state: 'Ready' }],
    ['a priority out of range', { title: 'a', priority: 5 }],
    ['a blocker that does not exist', { title: 'a', blockedBy: ['SY-77'] }],
  ])('refuses %s', async (_what, body) => {
    expect(await call('POST', '/api/v1/local/issues', body)).toMatchObject({ status: 400 });
    expect(await fixture.deps.db.select().from(issues)).toEqual([]);
  });

  it('keeps hostile text as data, with a title on one line', async () => {
    const description = '"quotes" $(touch /tmp/x)\n<script>';
    const issue = await create({ title: 'a\n$(b) "c" \u200fd', description });
    expect(issue).toMatchObject({ title: 'a $(b) "c" \u200fd', description });
  });

  it('lists newest first, in pages, by state', async () => {
    await create({ title: 'one' });
    await create({ title: 'two', state: 'Backlog' });
    await create({ title: 'three' });
    const titles = async (query: string) => {
      const { body } = await call('GET', `/api/v1/local/issues${query}`);
      const page = body as { issues: Issue[]; total: number };
      return [page.issues.map((issue) => issue.title), page.total];
    };
    expect(await titles('')).toEqual([['three', 'two', 'one'], 3]);
    expect(await titles('?limit=1&offset=1')).toEqual([['two'], 3]);
    expect(await titles('?state=todo')).toEqual([['three', 'one'], 2]);
    for (const query of ['?limit=0', '?limit=501', '?limit=x', '?offset=-1', '?state=Ready']) {
      expect(await call('GET', `/api/v1/local/issues${query}`)).toMatchObject({ status: 400 });
    }
  });

  it('changes an issue and shows its own truth before the index has caught up', async () => {
    const { id } = await create({ title: 'one' });
    const changed = await call('PATCH', '/api/v1/local/issues/SY-1', { state: 'Backlog' });
    expect(changed).toMatchObject({ status: 200, body: { state: 'Backlog', title: 'one' } });
    await createLocalTracker(fixture.deps).transition(id, 'In Review');
    const { body } = await call('GET', '/api/v1/local/issues');
    expect(body).toMatchObject({ issues: [{ state: 'In Review' }] });
    const refused = await call('PATCH', '/api/v1/local/issues/SY-1', { identifier: 'SY-2' });
    expect(refused).toMatchObject({ status: 400 });
  });

  it('tells a person from the service in comments and hands a person’s over', async () => {
    const { id } = await create({ title: 'one' });
    const tracker = createLocalTracker(fixture.deps);
    await tracker.upsertComment(id, 'status', 'running');
    await tracker.attach(id, { url: '/pull-requests/pr_1', title: 'SY-1' });
    fixture.ports.clock.advance(1);
    const added = await call('POST', '/api/v1/local/issues/SY-1/comments', { body: 'Try again' });
    expect(added).toMatchObject({ status: 201, body: { author: 'local', byService: false } });
    expect(handedOver).toEqual([[{ tracker: 'local', id, identifier: 'SY-1' }, 'Try again']]);
    expect(await call('GET', '/api/v1/local/issues/SY-1/comments')).toMatchObject({
      status: 200,
      body: {
        comments: [
          { body: 'running', byService: true },
          { body: 'Try again', byService: false },
        ],
        total: 2,
      },
    });
    expect(await call('GET', '/api/v1/local/issues/SY-1/attachments')).toMatchObject({
      status: 200,
      body: { attachments: [{ url: '/pull-requests/pr_1', title: 'SY-1' }] },
    });
  });

  it('keeps a comment that could not be handed over, and says so in the log', async () => {
    await create({ title: 'one' });
    failHandOver = true;
    const added = await call('POST', '/api/v1/local/issues/SY-1/comments', { body: 'Hello' });
    expect(added.status).toBe(201);
    expect(fixture.ports.complaints).toEqual(['a comment could not be handed over']);
    const { body } = await call('GET', '/api/v1/local/issues/SY-1/comments');
    expect(body).toMatchObject({ total: 1 });
  });

  it.each([
    ['PATCH', '', { title: 'x' }],
    ['POST', '/comments', { body: 'x' }],
    ['GET', '/comments', undefined],
    ['GET', '/attachments', undefined],
  ])('does not know an issue that does not exist: %s %s', async (method, path, body) => {
    expect(await call(method, `/api/v1/local/issues/SY-99${path}`, body)).toMatchObject({
      status: 404,
      body: { error: 'issue SY-99 not found' },
    });
  });
});
