import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import type { Tracker } from '../../ports/tracker/tracker.ts';

describe('looks at the built-in tracker', () => {
  let world: CoreWorld;
  let looks: string[];
  let roles: (given: ReturnType<Tracker['stateRoles']>) => ReturnType<Tracker['stateRoles']>;
  beforeEach(async () => {
    world = await createCoreWorld(openFramePeer, {
      SERVICE_CONFIG__polling__intervalMs: '600000',
    });
    looks = [];
    roles = (given) => given;
    const local = world.deps.trackers.get('local') as Tracker;
    (world.deps.trackers as Map<string, Tracker>).set('local', {
      ...local,
      stateRoles: () => roles(local.stateRoles()),
      fetchByStates: (states) => {
        looks.push('active');
        return local.fetchByStates(states);
      },
      fetchChanged: async (sinceMs) => {
        looks.push(`changes of the last ${(world.clock.nowMs() - sinceMs) / 1_000} s`);
        return (await local.fetchChanged?.(sinceMs)) ?? [];
      },
    });
  });
  afterEach(() => world.close());

  it('are whole at first and each hour, at what is active now and then, at changes in between', async () => {
    await world.tick();
    await world.tick();
    await world.pass(20_000);
    await world.pass(10_000);
    await world.pass(5_000);
    expect(looks.splice(0)).toEqual([
      'active',
      'changes of the last 10 s',
      'changes of the last 30 s',
      'changes of the last 40 s',
      'active',
      'changes of the last 15 s',
    ]);
    await world.pass(3_600_000);
    expect(looks).toEqual(['active']);
  });

  it('are whole when the roles of states have changed', async () => {
    await world.tick();
    roles = (given) => ({ ...given, active: ['Backlog'] });
    await world.tick();
    await world.tick();
    expect(looks).toEqual(['active', 'active', 'changes of the last 10 s']);
  });

  it('are whole again after one that failed', async () => {
    const trackers = world.deps.trackers as Map<string, Tracker>;
    const local = trackers.get('local') as Tracker;
    const away = { ...local, fetchByStates: () => Promise.reject(new Error('away')) };
    trackers.set('local', away);
    await world.tick();
    trackers.set('local', local);
    await world.tick();
    expect(looks).toEqual(['active']);
  });
});
