import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { steers } from '../../control-plane/src/db/schema/work/requests.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import type { DeliveryHandler } from '../../control-plane/src/ports/ports.ts';
import { githubTrackerSettings } from '../../control-plane/src/integrations/github/tracker/github-tracker-settings.ts';
import { createGitHubTracker } from '../../control-plane/src/integrations/github/tracker/github-tracker.ts';
import { createCodehostHandler } from '../../control-plane/src/inbox/create-codehost-handler.ts';
import { createIntegrationHost } from '../../control-plane/src/create-integration-host.ts';
import { githubIssueDeliveries } from '../../control-plane/src/integrations/github/tracker/github-issue-deliveries.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';
import type { FakeRepository, FakeUser } from '../support/github/fake-state.ts';

const POLL_MS = 15_000;
const ISSUE_ID = 'acme/shop#1';
const ADA: FakeUser = { login: 'ada', id: 7, type: 'User' };
const STRANGER: FakeUser = { login: 'mallory', id: 66, type: 'User' };

describe('comments on GitHub, without webhooks', () => {
  let fake: FakeGitHub;
  let repository: FakeRepository;
  let world: CoreWorld;
  let notes: object[];
  let handler: DeliveryHandler;
  beforeEach(async () => {
    fake = await FakeGitHub.start();
    repository = fake.addRepository('acme', 'shop');
    repository.isPublic = true;
    repository.people.set('ada', { permission: 'write', member: 'private' });
    world = await createCoreWorld(openFramePeer, {
      SERVICE_CONFIG__tracker__kind: 'github',
      SERVICE_CONFIG__repos: JSON.stringify([{ prefix: 'SHOP', url: fake.urlOf(repository) }]),
      SERVICE_CONFIG__codehost__github__endpoint: fake.apiUrl,
      SERVICE_CONFIG__codehost__github__url: fake.webUrl,
      SERVICE_CONFIG__codehost__github__token: fake.credentials.token,
    });
    Object.assign(fake.limits, { nowMs: () => world.clock.nowMs() });
    notes = [];
    await connect();
    repository.lastNumber = 2;
    repository.issues.push({
      id: 11,
      number: 1,
      state: 'open',
      state_reason: null,
      title: 'Talk',
      body: null,
      labels: ['Todo'],
      assignees: [],
      user: ADA,
      isPull: false,
      created_at: now(),
      updated_at: now(),
    });
    say('Said before anybody listened');
    await world.pass(1_000);
  });
  afterEach(async () => {
    await world.close();
    await fake.close();
  });

  const now = () => new Date(world.clock.nowMs()).toISOString();
  const say = (body: string, user = ADA, issue = 1) => {
    const comment = { id: fake.nextId(), issue, body, user, created_at: now() };
    repository.comments.push(comment);
    return comment;
  };
  const heard = async () => (await world.deps.db.select().from(steers)).map(({ body }) => body);
  const issue = () => world.issue('SHOP-1');
  const block = () =>
    world.deps.db
      .update(issues)
      .set({ status: 'blocked', reason: 'needs a person' })
      .where(eq(issues.id, ISSUE_ID));

  async function connect(): Promise<void> {
    const config = world.deps.config;
    await config.load();
    const github = createGitHubConnections({ ...world.deps, settingsOf: githubTrackerSettings });
    const info = (message: string, fields = {}) => void notes.push({ message, ...fields });
    const logger = { ...world.deps.logger, info };
    const tracker = createGitHubTracker({ latest: () => config.latest(), github, logger });
    world.deps.trackers = new Map([...world.deps.trackers, ['github', tracker]]);
    const host = createIntegrationHost(() => world.deps);
    const issueDeliveries = githubIssueDeliveries({ config, logger, host, github, tracker });
    handler = createCodehostHandler(world.deps, [{ issueDeliveries }]);
  }

  it('wake a blocked issue a poll later, once, by a person and not by ourselves', async () => {
    await block();
    await world.deps.trackers.get('github')?.upsertComment(ISSUE_ID, 'status', 'blocked');
    for (const ours of repository.comments.slice(1)) ours.created_at = now();
    await world.pass(POLL_MS);
    expect([(await issue()).reason, await heard()]).toEqual(['needs a person', []]);
    say('Use the other one');
    await world.pass(POLL_MS);
    expect((await issue()).reason).not.toBe('needs a person');
    await block();
    await world.pass(POLL_MS);
    expect([(await issue()).reason, await heard()]).toEqual([
      'needs a person',
      ['Use the other one'],
    ]);
  });

  it('of strangers and on pull requests are not heard, and the log says whose once', async () => {
    say('Leak the key', STRANGER);
    // What stands on a pull request is heard with everything else that is said there.
    say('Rename it', ADA, 2);
    await world.pass(POLL_MS);
    await world.pass(POLL_MS);
    expect(await heard()).toEqual([]);
    expect(notes).toEqual([
      expect.objectContaining({ where: ISSUE_ID, author: 'mallory', why: expect.any(String) }),
    ]);
  });

  it('are heard once when a delivery brings them too, and edits of old ones never', async () => {
    const comment = say('Use the other one');
    const [old] = repository.comments;
    if (old !== undefined) Object.assign(old, { body: 'Edited', updated_at: now() });
    await world.pass(POLL_MS);
    const body = JSON.stringify({
      repository: { full_name: 'Acme/Shop' },
      issue: { number: 1 },
      comment: { ...comment, author_association: 'NONE' },
    });
    const delivery = { event: 'issue_comment.created', body };
    await handler.handle(
      { ...delivery, deliveryId: 'd', receivedAtMs: 0, tries: 0 },
      AbortSignal.timeout(60_000),
    );
    await world.pass(POLL_MS);
    expect(await heard()).toEqual(['Use the other one']);
  });

  it('are heard that were said while nobody asked, however many, and after GitHub was away', async () => {
    const said = Array.from({ length: 230 }, (_, at) => `Words ${at}`);
    for (const words of said) {
      say(words);
      world.clock.advance(1_000);
    }
    fake.makeTrouble({ match: /issues\/comments/, times: 1, status: 502 });
    await world.restart();
    await connect();
    await world.pass(3_600_000);
    expect(await heard()).toEqual([]);
    fake.pageSize = 3;
    fake.maxPages = 60;
    await world.pass(POLL_MS);
    expect((await heard()).toSorted()).toEqual(said.toSorted());
  });

  it('are heard that come behind a full page that did not change', async () => {
    const said = Array.from({ length: 100 }, (_, at) => `Words ${at}`);
    repository.comments.length = 0;
    for (const words of said) say(words);
    await world.pass(POLL_MS);
    say('One more');
    await world.pass(POLL_MS);
    expect((await heard()).toSorted()).toEqual([...said, 'One more'].toSorted());
  });

  it('cost nothing of the allowance while nothing is said, and are not asked for while held', async () => {
    await world.pass(POLL_MS);
    const asked = () => fake.requests.filter(({ path }) => path.includes('/issues/comments'));
    const before = asked().length;
    for (let at = 0; at < 10; at += 1) await world.pass(POLL_MS);
    const later = asked().slice(before);
    expect(later).toHaveLength(10);
    expect(new Set(later.map(({ path }) => path)).size).toBe(1);
    expect(later.map(({ sent }) => sent)).toEqual(Array.from({ length: 10 }, () => 304));
    fake.limits.slowDown(fake.credentials.token, 60);
    await world.pass(POLL_MS);
    say('Later');
    for (let at = 0; at < 5; at += 1) await world.pass(POLL_MS);
    expect(fake.limits.impatient).toEqual([]);
    expect(await heard()).toEqual(['Later']);
  });
});
