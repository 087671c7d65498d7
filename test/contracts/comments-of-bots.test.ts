import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { pullRequestFeedback } from '../../control-plane/src/db/schema/work/pull-request-feedback.ts';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { steers } from '../../control-plane/src/db/schema/work/requests.ts';
import type { DeliveryHandler } from '../../control-plane/src/ports/ports.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { githubIssueDeliveries } from '../../control-plane/src/integrations/github/tracker/github-issue-deliveries.ts';
import { githubTrackerSettings } from '../../control-plane/src/integrations/github/tracker/github-tracker-settings.ts';
import { createGitHubTracker } from '../../control-plane/src/integrations/github/tracker/github-tracker.ts';
import { createCodehostHandler } from '../../control-plane/src/inbox/create-codehost-handler.ts';
import { createIntegrationHost } from '../../control-plane/src/create-integration-host.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';
import type { FakeRepository, FakeUser } from '../support/github/fake-state.ts';
import {
  createPullRequestWorld,
  type PullRequestWorld,
} from '../support/github/pull-request-world.ts';
import { createSessionScene, type SessionScene } from '../support/linear/session-scene.ts';

const POLL_MS = 15_000;
const ADA: FakeUser = { login: 'ada', id: 7, type: 'User' };
const BOT: FakeUser = { login: 'reviews[bot]', id: 90, type: 'Bot' };
const NAMED = { SERVICE_CONFIG__tracker__allowedBots: '["Reviews[bot]"]' };
const ALSO_AN_AUTHOR = { SERVICE_CONFIG__tracker__allowedAuthors: '["ada", "reviews[bot]"]' };

describe('bots on the issues of GitHub', () => {
  let fake: FakeGitHub;
  let repository: FakeRepository;
  let world: CoreWorld;
  let handler: DeliveryHandler;
  let notes: object[];
  afterEach(async () => {
    await world.close();
    await fake.close();
  });

  async function open(variables: Record<string, string> = {}): Promise<void> {
    fake = await FakeGitHub.start();
    repository = fake.addRepository('acme', 'shop');
    repository.people.set('ada', { permission: 'write', isCollaborator: true });
    repository.people.set(BOT.login, { permission: 'write', isCollaborator: true });
    world = await createCoreWorld(openFramePeer, {
      SERVICE_CONFIG__tracker__kind: 'github',
      SERVICE_CONFIG__repos: JSON.stringify([{ prefix: 'SHOP', url: fake.urlOf(repository) }]),
      SERVICE_CONFIG__codehost__github__endpoint: fake.apiUrl,
      SERVICE_CONFIG__codehost__github__url: fake.webUrl,
      SERVICE_CONFIG__codehost__github__token: fake.credentials.token,
      ...variables,
    });
    const config = world.deps.config;
    await config.load();
    notes = [];
    const github = createGitHubConnections({ ...world.deps, settingsOf: githubTrackerSettings });
    const info = (message: string, fields = {}) => void notes.push({ message, ...fields });
    const logger = { ...world.deps.logger, info };
    const tracker = createGitHubTracker({ latest: () => config.latest(), github, logger });
    world.deps.trackers = new Map([...world.deps.trackers, ['github', tracker]]);
    const host = createIntegrationHost(() => world.deps);
    const issueDeliveries = githubIssueDeliveries({ config, logger, host, github, tracker });
    handler = createCodehostHandler(world.deps, [{ issueDeliveries }]);
    add(1, ADA);
    await world.pass(1_000);
    await world.deps.db.update(issues).set({ status: 'blocked', reason: 'needs a person' });
  }

  const now = () => new Date(world.clock.nowMs()).toISOString();
  function add(number: number, user: FakeUser): void {
    repository.lastNumber = number;
    repository.issues.push({
      id: 10 + number,
      number,
      state: 'open',
      state_reason: null,
      title: 'Talk',
      body: null,
      labels: ['Todo'],
      assignees: [],
      user,
      isPull: false,
      created_at: now(),
      updated_at: now(),
    });
  }
  const say = (body: string, user: FakeUser) => {
    const comment = { id: fake.nextId(), issue: 1, body, user, created_at: now() };
    repository.comments.push(comment);
    return comment;
  };
  const deliver = (comment: object) => {
    const body = JSON.stringify({
      repository: { full_name: 'acme/shop' },
      issue: { number: 1 },
      comment: { ...comment, author_association: 'COLLABORATOR' },
    });
    const delivery = { event: 'issue_comment.created', body, deliveryId: 'd' };
    return handler.handle({ ...delivery, receivedAtMs: 0, tries: 0 }, AbortSignal.timeout(60_000));
  };
  const heard = async () => (await world.deps.db.select().from(steers)).map(({ body }) => body);
  const reason = async () => (await world.issue('SHOP-1')).reason;

  it('wake nothing by a comment, asked for or delivered, although they may write', async () => {
    await open();
    const comment = say('Fix my findings', BOT);
    expect(await deliver(comment)).toMatchObject({ outcome: 'ignored' });
    await world.pass(POLL_MS);
    expect([await reason(), await heard()]).toEqual(['needs a person', []]);
    expect(notes).toContainEqual(
      expect.objectContaining({
        author: BOT.login,
        why: expect.stringContaining('tracker.allowedBots'),
      }),
    );
    say('Do it', ADA);
    await world.pass(POLL_MS);
    expect(await heard()).toEqual(['Do it']);
  });

  it('are told by what GitHub says they are, whatever they are called', async () => {
    await open();
    const machine: FakeUser = { login: 'Copilot', id: 91, type: 'Bot' };
    repository.people.set('copilot', { permission: 'write', isCollaborator: true });
    say('Fix my findings', machine);
    await world.pass(POLL_MS);
    expect(await heard()).toEqual([]);
  });

  it.each([
    ['as bots', NAMED],
    ['as bots, beside people', { ...NAMED, SERVICE_CONFIG__tracker__allowedAuthors: '["ada"]' }],
    ['among the authors', ALSO_AN_AUTHOR],
  ])('are heard once they are named %s', async (_where, variables) => {
    await open(variables);
    say('Fix my findings', BOT);
    await world.pass(POLL_MS);
    expect(await heard()).toEqual(['Fix my findings']);
    expect(await deliver(say('And these', BOT))).toMatchObject({ outcome: 'processed' });
    add(2, BOT);
    await world.pass(POLL_MS);
    expect(await world.issue('SHOP-2')).toMatchObject({ unroutable: null });
  });

  it('start nothing with an issue of their own, which says why', async () => {
    await open();
    add(2, BOT);
    await world.pass(POLL_MS);
    expect(await world.issue('SHOP-2')).toMatchObject({
      unroutable: expect.stringContaining('reviews[bot] is a bot'),
      reason: expect.stringContaining('tracker.allowedBots'),
    });
  });

  it('stop nothing half way that an earlier version began', async () => {
    await open();
    add(2, BOT);
    await world.pass(POLL_MS);
    const begun = { unroutable: null, attempt_count: 1, status: 'retrying', reason: null } as const;
    await world.deps.db.update(issues).set(begun).where(eq(issues.identifier, 'SHOP-2'));
    await world.pass(POLL_MS);
    const { unroutable, reason_code: code } = await world.issue('SHOP-2');
    expect(unroutable).toBeNull();
    expect(code).not.toBe('tracker_excluded');
  });

  it.each(['reviews', 'Reviews[bot]'])('are named as people see them: %s', async (name) => {
    await open({ SERVICE_CONFIG__tracker__allowedBots: JSON.stringify([name]) });
    say('Fix my findings', BOT);
    await world.pass(POLL_MS);
    expect(await heard()).toEqual(['Fix my findings']);
  });

  it('are not named by a person of the same name', async () => {
    await open({ SERVICE_CONFIG__tracker__allowedAuthors: '["ada", "reviews"]' });
    say('Fix my findings', BOT);
    await world.pass(POLL_MS);
    expect(await heard()).toEqual([]);
  });

  it('start an issue of their own once they are named', async () => {
    await open(NAMED);
    add(2, BOT);
    await world.pass(POLL_MS);
    expect(await world.issue('SHOP-2')).toMatchObject({ unroutable: null });
  });
});

describe('bots on pull requests', () => {
  let bench: PullRequestWorld;
  afterEach(() => bench.close());
  const rounds = () => bench.deps.db.select().from(pullRequestFeedback);

  async function speak(): Promise<void> {
    const { repository, pull, fake } = bench;
    const created_at = new Date().toISOString();
    const said = { user: BOT, author_association: 'COLLABORATOR', created_at, issue: pull.number };
    repository.reviews.push({ ...said, id: 1, body: 'Not yet', state: 'CHANGES_REQUESTED' });
    const line = { id: fake.nextId(), body: 'Rename it', path: 'a.ts', line: 1 };
    repository.lineComments.push({ ...said, ...line });
    bench.say('Fix my findings', { user: BOT, author_association: 'COLLABORATOR' });
    await bench.hear();
  }

  it('start no round with a review or comment', async () => {
    bench = await createPullRequestWorld();
    await speak();
    expect(await rounds()).toEqual([]);
    expect(bench.notes).toContainEqual({
      message: 'a word on a pull request was not taken',
      fields: expect.objectContaining({ author: BOT.login }) as object,
    });
  });

  it('are heard once they are named', async () => {
    bench = await createPullRequestWorld({ variables: NAMED });
    await speak();
    expect((await rounds()).map(({ body }) => body)).toEqual([
      expect.stringContaining('Fix my findings'),
    ]);
  });
});

describe('apps in Linear', () => {
  let scene: SessionScene;
  afterEach(() => scene.close());
  const app = () => ({
    ...scene.fake.world.ada,
    id: 'app-1',
    name: 'Cursor',
    email: 'afd5064f-8c2e-4f60-a91a-2b753321d325@oauthapp.linear.app',
  });
  async function blockedIssue(): Promise<{ id: string }> {
    const issue = scene.issue('Fix it', 'Todo');
    await scene.settle();
    await scene.world.deps.db
      .update(issues)
      .set({ status: 'blocked', reason: 'needs a person' })
      .where(eq(issues.id, issue.id));
    return issue;
  }
  const status = async () => (await scene.world.deps.db.select().from(issues))[0]?.reason;

  it('wake nothing by a comment, and people still do', async () => {
    scene = await createSessionScene();
    const { id } = await blockedIssue();
    scene.fake.world.say(id, 'Fix my findings', app());
    await scene.settle();
    expect(await status()).toBe('needs a person');
    await scene.world.pass(3_600_000);
    expect(await status()).toBe('needs a person');
    scene.fake.world.say(id, 'Do it', scene.fake.world.ada);
    await scene.settle();
    expect(await status()).not.toBe('needs a person');
  });

  it('begin no session, and get no answer that they could answer', async () => {
    scene = await createSessionScene();
    const { id } = scene.issue('Fix it', 'Backlog');
    const session = scene.fake.world.sessions.delegate(id, app());
    await scene.settle();
    expect(scene.said(session)).toEqual([]);
    expect(scene.fake.world.state(scene.fake.world.issue(id).stateId).name).toBe('Backlog');
  });

  it.each([
    ['', {}],
    [', beside people', { SERVICE_CONFIG__tracker__allowedAuthors: '["Ada"]' }],
  ])('are heard once they are named%s', async (_where, more) => {
    scene = await createSessionScene({
      SERVICE_CONFIG__tracker__allowedBots: '["Cursor"]',
      ...more,
    });
    const { id } = await blockedIssue();
    scene.fake.world.say(id, 'Fix my findings', app());
    await scene.settle();
    expect(await status()).not.toBe('needs a person');
  });
});
