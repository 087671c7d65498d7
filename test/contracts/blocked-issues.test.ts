import { afterEach, describe, expect, it } from 'vitest';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { githubTrackerSettings } from '../../control-plane/src/integrations/github/tracker/github-tracker-settings.ts';
import { createGitHubTracker } from '../../control-plane/src/integrations/github/tracker/github-tracker.ts';
import { connectLinear } from '../../control-plane/src/integrations/linear/connect-linear.ts';
import { linearSettingsOf } from '../../control-plane/src/integrations/linear/linear-settings-of.ts';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { blockers } from '../support/github/fake-issue-routes.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';
import type { FakeUser } from '../support/github/fake-state.ts';
import { refusal, startFakeLinear } from '../support/linear/fake-linear.ts';

const POLL_MS = 15_000;
const ADA: FakeUser = { login: 'ada', id: 7, type: 'User' };

/** A tracker elsewhere, polled alone, in which relations change no issue's own time. */
type Bench = {
  world: CoreWorld;
  /** An issue that is to be worked on; its number. */
  add(state?: string): number;
  /** Says anew which issues block one. */
  block(number: number, by: readonly number[]): void;
  finish(number: number): void;
  name(number: number): string;
  /** Requests since it was asked the last time, without answers that nothing changed. */
  asked(): number;
  /** What one poll may ask while nothing changes, however many wait. */
  mostAsked: number;
  /** The next question about what still waits is refused, where there is one. */
  refuseQuestion?(): void;
  close(): Promise<void>;
};

async function openLinear(): Promise<Bench> {
  const fake = await startFakeLinear();
  const world = await createCoreWorld(openFramePeer, {
    SERVICE_CONFIG__tracker__kind: 'linear',
    SERVICE_CONFIG__tracker__linear__endpoint: fake.endpoint,
    SERVICE_CONFIG__tracker__linear__apiKey: fake.apiKey,
  });
  const config = await world.deps.config.load();
  const settings = linearSettingsOf(() => config, world.deps.resolveSecret);
  const { tracker } = connectLinear({ ...world.deps, settings });
  world.deps.trackers = new Map([...world.deps.trackers, ['linear', tracker]]);
  fake.world.nowMs = () => world.clock.nowMs();
  fake.world.time = () => world.clock.nowMs();
  const linear = fake.world;
  const at = (number: number) => {
    const found = [...linear.issues.values()].find((one) => one.number === number);
    if (found === undefined) throw new Error(`no issue ${number}`);
    return found;
  };
  let before = 0;
  return {
    world,
    add: (state = 'Todo') =>
      linear.add({ title: 'Work', stateId: linear.stateNamed(state).id }, linear.ada).number,
    block: (number, by) => void (at(number).blockedBy = by.map((other) => at(other).id)),
    finish: (number) =>
      void linear.change(at(number).id, { stateId: linear.stateNamed('Done').id }, linear.ada),
    name: (number) => `ENG-${number}`,
    mostAsked: 4,
    refuseQuestion: () => {
      const body = refusal('INPUT_ERROR', 'Query too complex');
      fake.fail({ kind: 'status', status: 400, body }, 'BlockedIssues');
    },
    asked() {
      const count = fake.requests.length - before;
      before = fake.requests.length;
      return count;
    },
    async close() {
      await world.close();
      await fake.close();
    },
  };
}

async function openGitHub(): Promise<Bench> {
  const fake = await FakeGitHub.start();
  const repository = fake.addRepository('acme', 'shop');
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
  const tracker = createGitHubTracker({ latest: () => config.latest(), github, logger });
  world.deps.trackers = new Map([...world.deps.trackers, ['github', tracker]]);
  const now = () => new Date(world.clock.nowMs()).toISOString();
  let before = 0;
  return {
    world,
    add(state = 'Todo') {
      const number = (repository.lastNumber += 1);
      repository.issues.push({
        id: 10 + number,
        number,
        state: 'open',
        state_reason: null,
        title: 'Work',
        body: null,
        labels: [state],
        assignees: [],
        user: ADA,
        isPull: false,
        created_at: now(),
        updated_at: now(),
      });
      return number;
    },
    block(number, by) {
      const known = blockers.get(repository) ?? new Map<number, number[]>();
      blockers.set(repository, known.set(number, [...by]));
    },
    finish(number) {
      const found = repository.issues.find((one) => one.number === number);
      Object.assign(found ?? {}, { state: 'closed', state_reason: 'completed', updated_at: now() });
    },
    name: (number) => `SHOP-${number}`,
    // Two of each issue that is read anew, when it is for the first time.
    mostAsked: 22,
    asked() {
      const count = fake.requests.filter(({ sent }) => sent !== 304).length - before;
      before += count;
      return count;
    },
    async close() {
      await world.close();
      await fake.close();
    },
  };
}

describe.each([
  ['Linear', openLinear],
  ['GitHub', openGitHub],
])('issues of %s that block each other', (_name, open) => {
  let bench: Bench;
  afterEach(() => bench.close());
  const shown = async (number: number) => {
    const { reason_code: code, reason, blocked_by } = await bench.world.issue(bench.name(number));
    return { code, reason, blockers: blocked_by.map(({ identifier }) => identifier) };
  };
  /** What was changed lately is read again for two minutes; afterwards only what has to be. */
  const rest = () => bench.world.pass(180_000);

  it('are named with the way round, as a person’s turn, until the relation is gone', async () => {
    bench = await open();
    const [a, b, c] = [bench.add(), bench.add(), bench.add()];
    bench.block(a, [b]);
    bench.block(b, [a]);
    bench.block(c, [c]);
    await rest();
    const [first, second, third] = [a, b, c].map((number) => bench.name(number));
    expect(await shown(a)).toMatchObject({
      code: 'blocked_by_circle',
      reason: expect.stringContaining(`${first} → ${second} → ${first}`),
    });
    expect((await shown(b)).reason).toContain(`${second} → ${first} → ${second}`);
    expect((await shown(c)).reason).toContain(`${third} → ${third}`);
    expect(REASON_CATALOGUE.blocked_by_circle.person).toBe('always');
    await rest();
    bench.block(a, []);
    bench.block(c, []);
    await bench.world.pass(POLL_MS);
    expect(await shown(a)).toMatchObject({ blockers: [] });
    expect((await shown(a)).code).not.toMatch(/^blocked/);
    expect((await shown(b)).code).toBe('blocked_by_issues');
    expect((await shown(c)).code).not.toMatch(/^blocked/);
  });

  it('go on with the poll after one of several relations was removed', async () => {
    bench = await open();
    const [open_, done, waiting] = [bench.add('In Review'), bench.add('In Review'), bench.add()];
    bench.block(waiting, [open_, done]);
    bench.finish(done);
    await rest();
    expect(await shown(waiting)).toMatchObject({ code: 'blocked_by_issues' });
    await rest();
    bench.block(waiting, [done]);
    await bench.world.pass(POLL_MS);
    expect((await shown(waiting)).blockers).toEqual([bench.name(done)]);
    expect((await shown(waiting)).code).not.toMatch(/^blocked/);
  });

  it('keep nothing else from being seen when the question about them is refused', async () => {
    bench = await open();
    const [blocker, waiting] = [bench.add('In Review'), bench.add()];
    bench.block(waiting, [blocker]);
    await rest();
    const fresh = bench.add();
    bench.block(waiting, []);
    bench.refuseQuestion?.();
    await bench.world.pass(POLL_MS);
    expect((await shown(fresh)).code).not.toBeNull();
    expect((await shown(waiting)).blockers).toEqual([]);
  });

  it('come before those that ended while they waited, about which nothing is asked', async () => {
    bench = await open();
    const [one, other] = [bench.add('In Review'), bench.add('In Review')];
    await rest();
    bench.asked();
    await bench.world.pass(POLL_MS);
    const before = bench.asked();
    const many = Array.from({ length: 40 }, () => bench.add());
    for (const number of many) bench.block(number, [one, other]);
    await rest();
    for (const number of many) bench.finish(number);
    await rest();
    bench.asked();
    await bench.world.pass(POLL_MS);
    expect(bench.asked()).toBeLessThanOrEqual(before + 1);
    for (let rounds = 0; rounds < 4; rounds += 1) {
      const waiting = bench.add();
      bench.block(waiting, [one, other]);
      await rest();
      bench.block(waiting, []);
      await bench.world.pass(POLL_MS);
      expect((await shown(waiting)).blockers).toEqual([]);
    }
  });

  it('are asked about within bounds, however many wait', async () => {
    bench = await open();
    const blocker = bench.add('In Review');
    const [other, ...many] = [
      bench.add('In Review'),
      ...Array.from({ length: 60 }, () => bench.add()),
    ];
    for (const number of many) bench.block(number, [blocker, other ?? 0]);
    await rest();
    await rest();
    bench.asked();
    await bench.world.pass(POLL_MS);
    expect(bench.asked()).toBeLessThanOrEqual(bench.mostAsked);
    for (const number of many) bench.block(number, []);
    for (let polls = 0; polls < 8; polls += 1) await bench.world.pass(POLL_MS);
    const still = await Promise.all(many.map(async (number) => (await shown(number)).blockers));
    expect(still.flat()).toEqual([]);
  });
});
