import { isNull } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../test/support/core/runner-peers.ts';
import { scriptRunner } from '../../../test/support/core/scripted-runner.ts';
import { createLeadership } from '../jobs/leadership/create-leadership.ts';
import { notifications } from '../db/schema/people/notifications.ts';
import { type Coordinator, createCoordinator } from './coordinator.ts';
import { createRun } from './create-run.ts';

let world: CoreWorld;
let coordinator: Coordinator;
let alarms: number[];
let runs: number;
let leads: boolean;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer);
  alarms = [];
  runs = 0;
  leads = true;
  coordinator = createCoordinator({
    ...world.deps,
    run: createRun(world.deps),
    alarm: { set: (atMs) => void alarms.push(atMs - world.clock.nowMs()) },
    lead: async () => {
      runs += 1;
      return { leads, nextCheckAtMs: world.clock.nowMs() + 5_000 };
    },
  });
});
afterEach(async () => {
  world.failDatabase('none');
  await coordinator.stop();
  await world.close();
});

const settled = () =>
  vi.waitFor(() => expect(alarms.length).toBeGreaterThan(0), { timeout: 25_000 });

describe('the coordinator', () => {
  it('folds every wake during a run, and right after it, into one more', async () => {
    for (let wakes = 0; wakes < 50; wakes += 1) coordinator.wake();
    await settled();
    const [restMs = 0] = alarms;
    expect(runs).toBe(1);
    expect(restMs).toBeGreaterThan(0);
    expect(restMs).toBeLessThanOrEqual(100);
    for (let wakes = 0; wakes < 50; wakes += 1) coordinator.wake();
    expect(alarms.slice(1).every((inMs) => inMs === restMs)).toBe(true);
    world.clock.advance(restMs);
    coordinator.wake();
    await vi.waitFor(() => expect(runs).toBe(2), { timeout: 25_000 });
  });

  it('runs at once when the clock went back', async () => {
    coordinator.wake();
    await settled();
    world.clock.advance(-3_600_000);
    coordinator.wake();
    await vi.waitFor(() => expect(runs).toBe(2), { timeout: 25_000 });
  });

  it('sets the alarm for what is due next, and never for the past', async () => {
    const identifier = await world.createIssue();
    coordinator.wake();
    await settled();
    expect(await world.issue(identifier)).toMatchObject({ status: 'queued' });
    expect(alarms.every((inMs) => inMs >= 20 && inMs <= 5_000)).toBe(true);
  });

  it('leaves to the next run what comes after its offers, and to that run only', async () => {
    await createLeadership(world.deps, { holder: 'test', holderGone: () => false })();
    const runner = scriptRunner(world, await world.join([]));
    await runner.hello();
    await world.createIssue();
    coordinator.wake();
    await settled();
    expect(runner.offers()).toHaveLength(1);
    const toTell = () =>
      world.deps.db.select().from(notifications).where(isNull(notifications.spread_at_ms));
    expect(await toTell()).toHaveLength(1);
    const [restMs = 0] = alarms;
    expect(restMs).toBeLessThanOrEqual(100);
    world.clock.advance(restMs);
    coordinator.wake();
    await vi.waitFor(() => expect(alarms).toHaveLength(2), { timeout: 30_000 });
    expect(await toTell()).toEqual([]);
    expect(alarms[1]).toBeGreaterThan(100);
  });

  it('decides nothing as a standby, and looks again when its turn may come', async () => {
    leads = false;
    const identifier = await world.createIssue();
    coordinator.wake();
    await settled();
    expect(await world.issue(identifier)).toMatchObject({ status: 'idle', reason: null });
    expect(alarms).toEqual([5_000]);
  });

  it('tries again soon when a run fails', async () => {
    world.failDatabase('everything');
    coordinator.wake();
    await settled();
    expect(alarms).toEqual([2_000]);
    world.failDatabase('none');
    world.clock.advance(2_000);
    coordinator.wake();
    await vi.waitFor(() => expect(runs).toBe(2), { timeout: 25_000 });
    await vi.waitFor(() => expect(alarms.length).toBeGreaterThan(1), { timeout: 25_000 });
  });

  it('finishes what is under way when it stops, and does nothing after', async () => {
    coordinator.wake();
    await coordinator.stop();
    const before = runs;
    coordinator.wake();
    await coordinator.stop();
    expect(runs).toBe(before);
  });
});
