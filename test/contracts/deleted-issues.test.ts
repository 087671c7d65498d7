import { IssueDetail } from '@switchyard/shared/api/work/issue';
import { IssueList } from '@switchyard/shared/api/work/issue-list';
import { explainReason } from '@switchyard/shared/reasons/explain-reason';
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { issueFingerprint } from '../../control-plane/src/attempts/issue-fingerprint.ts';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { localIssues } from '../../control-plane/src/db/schema/work/local-issues.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { createGitHubTracker } from '../../control-plane/src/integrations/github/tracker/github-tracker.ts';
import { githubTrackerSettings } from '../../control-plane/src/integrations/github/tracker/github-tracker-settings.ts';
import { connectLinear } from '../../control-plane/src/integrations/linear/connect-linear.ts';
import { linearSettingsOf } from '../../control-plane/src/integrations/linear/linear-settings-of.ts';
import {
  type SyncScope,
  syncIssues,
  syncTrackerIssues,
} from '../../control-plane/src/issues/sync/sync-tracker-issues.ts';
import type { Tracker } from '../../control-plane/src/ports/tracker/tracker.ts';
import { callCore } from '../support/core/call-core.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';
import { transferIssue } from '../support/github/fake-moves.ts';
import { startFakeLinear } from '../support/linear/fake-linear.ts';

const POLL_MS = 15_000;
const LEAVING_MS = 180_000;

/** A tracker from which people take issues away and bring them back. */
type Bench = {
  world: CoreWorld;
  kind: string;
  add(): Promise<string>;
  /** How its people take an issue out of sight; each gives the way back, where there is one. */
  ways: Record<string, (identifier: string) => Promise<(() => Promise<void>) | null>>;
  close(): Promise<void>;
};

async function openLocal(): Promise<Bench> {
  const world = await createCoreWorld(openFramePeer, {});
  return {
    world,
    kind: 'local',
    add: () => world.createIssue(),
    ways: {
      deleted: async (identifier) => {
        const { db } = world.deps;
        const rows = await db
          .delete(localIssues)
          .where(eq(localIssues.identifier, identifier))
          .returning();
        return async () => void (await db.insert(localIssues).values(rows));
      },
    },
    close: () => world.close(),
  };
}

async function openLinear(settings: Record<string, string> = {}) {
  const fake = await startFakeLinear();
  const world = await createCoreWorld(openFramePeer, {
    ...settings,
    SERVICE_CONFIG__tracker__kind: 'linear',
    SERVICE_CONFIG__tracker__linear__endpoint: fake.endpoint,
    SERVICE_CONFIG__tracker__linear__apiKey: fake.apiKey,
  });
  const config = await world.deps.config.load();
  const { tracker } = connectLinear({
    ...world.deps,
    settings: linearSettingsOf(() => config, world.deps.resolveSecret),
  });
  world.deps.trackers = new Map([...world.deps.trackers, ['linear', tracker]]);
  const linear = fake.world;
  linear.nowMs = () => world.clock.nowMs();
  linear.time = () => world.clock.nowMs();
  const named = (identifier: string) => {
    const found = [...linear.issues.values()].find((one) => linear.identifier(one) === identifier);
    if (found === undefined) throw new Error(`no issue ${identifier}`);
    return found;
  };
  const bench: Bench = {
    world,
    kind: 'linear',
    add: async () =>
      linear.identifier(
        linear.add({ title: 'Work', stateId: linear.stateNamed('Todo').id }, linear.ada),
      ),
    ways: {
      deleted: async (identifier) => {
        const issue = named(identifier);
        linear.issues.delete(issue.id);
        return async () => void linear.issues.set(issue.id, issue);
      },
      archived: async (identifier) => {
        const { id } = named(identifier);
        linear.change(id, { archived: true }, linear.ada);
        return async () => void linear.change(id, { archived: false }, linear.ada);
      },
    },
    async close() {
      await world.close();
      await fake.close();
    },
  };
  return { ...bench, linear, named };
}

async function openGitHub() {
  const fake = await FakeGitHub.start();
  const repository = fake.addRepository('acme', 'shop');
  const elsewhere = fake.addRepository('acme', 'attic');
  const world = await createCoreWorld(openFramePeer, {
    SERVICE_CONFIG__tracker__kind: 'github',
    SERVICE_CONFIG__repos: JSON.stringify([{ prefix: 'SHOP', url: fake.urlOf(repository) }]),
    SERVICE_CONFIG__codehost__github__endpoint: fake.apiUrl,
    SERVICE_CONFIG__codehost__github__url: fake.webUrl,
    SERVICE_CONFIG__codehost__github__token: fake.credentials.token,
  });
  Object.assign(fake.limits, { nowMs: () => world.clock.nowMs() });
  const { config, logger } = world.deps;
  await config.load();
  const github = createGitHubConnections({ ...world.deps, settingsOf: githubTrackerSettings });
  const routes = { isRemoved: false };
  const latest = () => (routes.isRemoved ? { ...config.latest(), repos: [] } : config.latest());
  const tracker = createGitHubTracker({ latest, github, logger });
  world.deps.trackers = new Map([...world.deps.trackers, ['github', tracker]]);
  const numberOf = (identifier: string) => Number(identifier.split('-')[1]);
  const bench: Bench = {
    world,
    kind: 'github',
    async add() {
      const number = (repository.lastNumber += 1);
      const now = new Date(world.clock.nowMs()).toISOString();
      repository.issues.push({
        id: 10 + number,
        number,
        state: 'open',
        state_reason: null,
        title: 'Work',
        body: null,
        labels: ['Todo'],
        assignees: [],
        isPull: false,
        user: { login: 'ada', id: 7, type: 'User' },
        created_at: now,
        updated_at: now,
      });
      return `SHOP-${number}`;
    },
    ways: {
      deleted: async (identifier) => {
        const number = numberOf(identifier);
        const issue = repository.issues.find((one) => one.number === number);
        transferIssue(fake, repository, number, null);
        return async () => {
          repository.moves.delete(number);
          if (issue !== undefined) repository.issues.push(issue);
        };
      },
      moved: async (identifier) => {
        transferIssue(fake, repository, numberOf(identifier), elsewhere);
        return null;
      },
    },
    async close() {
      await world.close();
      await fake.close();
    },
  };
  return { ...bench, fake, routes };
}

function trackerOf({ world, kind }: Pick<Bench, 'world' | 'kind'>): Tracker {
  const tracker = world.deps.trackers.get(kind);
  if (tracker === undefined) throw new Error('no tracker');
  return tracker;
}

describe.each([
  ['the built-in tracker', openLocal, ['deleted']],
  ['Linear', () => openLinear(), ['deleted', 'archived']],
  ['GitHub', openGitHub, ['deleted', 'moved']],
] as const)('an issue that needs a person, in %s', (_name, open, ways) => {
  let bench: Bench;
  afterEach(() => bench.close());

  const look = (scope: SyncScope) => syncTrackerIssues(bench.world.deps, trackerOf(bench), scope);
  async function needing(): Promise<string[]> {
    const { body } = await callCore(bench.world, 'GET', '/api/v1/issues?group=person');
    const list = IssueList.parse(body);
    expect(list.counts.person).toBe(list.issues.length);
    return list.issues.map(({ identifier }) => identifier);
  }
  async function standing(): Promise<string[]> {
    const { body } = await callCore(bench.world, 'GET', '/api/v1/issues?group=blocked');
    const list = IssueList.parse(body);
    expect([list.total, list.counts.blocked]).toEqual([list.issues.length, list.issues.length]);
    return list.issues.map(({ identifier }) => identifier);
  }
  async function shown(identifier: string) {
    const { body } = await callCore(bench.world, 'GET', `/api/v1/${identifier}`);
    return IssueDetail.parse(body);
  }
  /** One on which an agent has given up, as it stands then. */
  async function blocked(): Promise<string> {
    const { world } = bench;
    const identifier = await bench.add();
    await look('all');
    const row = await world.issue(identifier);
    await world.deps.db
      .update(issues)
      .set({
        status: 'blocked',
        reason: 'the agent is blocked: which port?',
        reason_code: 'agent_blocked',
        parked_fingerprint: issueFingerprint(row),
      })
      .where(eq(issues.identifier, identifier));
    return identifier;
  }

  it.each(ways)(
    'needs nobody once it is %s there, and stands as before when it is back',
    async (way) => {
      bench = await open();
      const { world } = bench;
      const [other, identifier] = [await blocked(), await blocked()];
      const before = await world.issue(identifier);
      expect((await needing()).toSorted()).toEqual([other, identifier]);
      world.clock.advance(LEAVING_MS);
      const bringBack = await bench.ways[way]!(identifier);
      await look('known');
      expect(await needing()).toEqual([other]);
      expect(await standing()).toEqual([other]);
      const gone = await shown(identifier);
      expect(gone).toMatchObject({ status: 'blocked', outOfSight: true });
      expect(JSON.stringify(explainReason(gone))).toMatch(/no longer in the tracker|was moved to/);
      for (let times = 0; times < 3; times += 1) {
        await world.pass(POLL_MS);
        await look('all');
        expect(await needing()).toEqual([other]);
      }
      if (bringBack === null) return;
      world.clock.advance(LEAVING_MS);
      await bringBack();
      await look('known');
      expect((await needing()).toSorted()).toEqual([other, identifier]);
      expect((await standing()).toSorted()).toEqual([other, identifier]);
      expect(await shown(identifier)).toMatchObject({
        status: 'blocked',
        outOfSight: false,
        reason: before.reason,
        reasonCode: before.reason_code,
      });
    },
  );

  it.each(ways)('can be stopped although it is %s there', async (way) => {
    bench = await open();
    const identifier = await blocked();
    await bench.ways[way]?.(identifier);
    await look('all');
    const { status } = await callCore(bench.world, 'POST', `/api/v1/${identifier}/abort`);
    expect(status).toBe(202);
    await look('all');
    await bench.world.pass(POLL_MS);
    // Its tracker takes no comment on it, which is no failure that anybody could mend.
    expect(await shown(identifier)).toMatchObject({ status: 'cancelled', trackerFailures: [] });
  });

  it.each(ways)('begins nothing where a person retries it after it is %s there', async (way) => {
    bench = await open();
    const identifier = await blocked();
    await bench.ways[way]?.(identifier);
    await look('all');
    await callCore(bench.world, 'POST', `/api/v1/${identifier}/retry`);
    await bench.world.pass(POLL_MS);
    const { status, attemptCount, reasonCode } = await shown(identifier);
    expect({ status, attemptCount }).toEqual({ status: 'idle', attemptCount: 0 });
    expect(reasonCode).toMatch(/^tracker_(?:gone|excluded)$/);
  });
});

describe('an issue in Linear', () => {
  let bench: Awaited<ReturnType<typeof openLinear>>;
  afterEach(() => bench.close());
  const look = () => syncTrackerIssues(bench.world.deps, trackerOf(bench), 'known');

  it('that is given to somebody else is still theirs when it is shown again as it was', async () => {
    bench = await openLinear({ SERVICE_CONFIG__tracker__assignee: 'me' });
    const { world, linear, named, ways } = bench;
    const identifier = await bench.add();
    linear.change(named(identifier).id, { assignee: linear.me }, linear.ada);
    await look();
    world.clock.advance(LEAVING_MS);
    linear.change(named(identifier).id, { assignee: linear.ada }, linear.ada);
    await look();
    const { unroutable } = await world.issue(identifier);
    expect(unroutable).toContain('somebody else');
    const bringBack = await ways['deleted']?.(identifier);
    await look();
    await bringBack?.();
    await look();
    expect(await world.issue(identifier)).toMatchObject({ unroutable });
  });

  it('that is taken out of the archive without another time is worked on again', async () => {
    bench = await openLinear();
    const { world, named, ways } = bench;
    const identifier = await bench.add();
    await look();
    await ways['archived']?.(identifier);
    await look();
    expect(await world.issue(identifier)).toMatchObject({ unroutable: 'it is archived' });
    named(identifier).archived = false;
    await look();
    expect(await world.issue(identifier)).toMatchObject({ unroutable: null });
  });
});

describe('an issue on GitHub', () => {
  let bench: Awaited<ReturnType<typeof openGitHub>>;
  afterEach(() => bench.close());

  it('whose repository no route names any more is not told as gone, and is as before when one does', async () => {
    bench = await openGitHub();
    const { world, routes } = bench;
    const look = () => syncTrackerIssues(world.deps, trackerOf(bench), 'all');
    const shown = async (identifier: string) => {
      const { body } = await callCore(world, 'GET', `/api/v1/${identifier}`);
      return IssueDetail.parse(body);
    };
    const [waiting, failed] = [await bench.add(), await bench.add()];
    await look();
    const of = (identifier: string) => eq(issues.identifier, identifier);
    const { db } = world.deps;
    const asFailed = { status: 'failed', reason: 'it broke', reason_code: 'agent_error' } as const;
    await db.update(issues).set(asFailed).where(of(failed));
    await db.update(issues).set({ status: 'retrying', next_retry_at_ms: 1 }).where(of(waiting));
    const ref = (await world.issue(failed)).native_ref;

    routes.isRemoved = true;
    await look();
    for (const identifier of [waiting, failed]) {
      const issue = await shown(identifier);
      const { cause, detail, next } = explainReason(issue) ?? {};
      expect(cause).toBe('The issue is not among those that Switchyard works on.');
      expect(detail).toContain('no route leads to its repository acme/shop');
      expect(detail).toContain('codehost.github.url');
      expect(next).toContain('route');
      expect(issue.outOfSight).toBe(true);
    }
    expect(await shown(waiting)).toMatchObject({ status: 'idle', reasonCode: 'tracker_excluded' });
    expect(explainReason(await shown(failed))?.detail).toContain('before that “');
    await world.pass(POLL_MS);
    expect(await shown(waiting)).toMatchObject({ reasonCode: 'tracker_excluded' });
    await expect(trackerOf(bench).upsertComment('acme/shop#1', 'status', 'x')).rejects.toThrow(
      'no route leads to its repository acme/shop',
    );

    routes.isRemoved = false;
    await look();
    expect(await shown(failed)).toMatchObject({
      status: 'failed',
      reason: 'it broke',
      outOfSight: false,
      nativeRef: ref,
    });
    expect(await shown(waiting)).toMatchObject({ outOfSight: false });
    expect(await world.issue(waiting)).toMatchObject({ unroutable: null });
  });

  it('is not gone because its repository is not shown for a while', async () => {
    bench = await openGitHub();
    const { world, fake } = bench;
    const { deps } = world;
    const identifier = await bench.add();
    const tracker = trackerOf(bench);
    await syncTrackerIssues(deps, tracker);
    const { id } = await world.issue(identifier);
    fake.makeTrouble({
      match: /acme.shop/,
      times: 1_000,
      status: 404,
      body: '{"message":"Not Found"}',
    });
    await expect(syncTrackerIssues(deps, tracker)).rejects.toThrow('404');
    await syncIssues(deps, tracker, [id]);
    expect(await world.issue(identifier)).toMatchObject({ unroutable: null });
  });
});
