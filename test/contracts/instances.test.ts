import { describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { runOnce } from '../../control-plane/src/coordinator/coordinator.ts';
import { eventChunks } from '../../control-plane/src/db/schema/events.ts';
import {
  holdLeadership,
  LEADER_RENEW_MS,
  LEADER_TTL_MS,
  releaseLeadership,
} from '../../control-plane/src/leadership/hold-leadership.ts';
import { beginRecovery } from '../../control-plane/src/recovery/begin-recovery.ts';
import { getRecovery } from '../../control-plane/src/recovery/get-recovery.ts';
import {
  ROWS_PER_SWEEP,
  sweepRetention,
} from '../../control-plane/src/retention/sweep-retention.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner, sceneWithLease, sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

const DAY_MS = 86_400_000;
const instance = (instanceId: string, holderGone = () => false) => ({
  instanceId,
  holder: `host ${instanceId}`,
  holderGone,
});

describe('two instances on one database', () => {
  it('have one leader, which keeps it by renewing and loses it by silence', async () => {
    const { deps, clock } = await make();
    expect((await holdLeadership(deps, instance('a'))).leads).toBe(true);
    expect(await holdLeadership(deps, instance('b'))).toMatchObject({
      leads: false,
      leaderId: 'a',
    });
    clock.advance(LEADER_TTL_MS - 1);
    expect((await holdLeadership(deps, instance('a'))).leads).toBe(true);
    clock.advance(LEADER_TTL_MS - 1);
    expect((await holdLeadership(deps, instance('b'))).leads).toBe(false);
    clock.advance(1);
    expect((await holdLeadership(deps, instance('b'))).leads).toBe(true);
    expect((await holdLeadership(deps, instance('a'))).leads).toBe(false);
  });

  it('renew after a while only, and are told until when it holds', async () => {
    const { deps, clock } = await make();
    const { untilMs } = await holdLeadership(deps, instance('a'));
    clock.advance(LEADER_RENEW_MS - 1);
    expect(await holdLeadership(deps, instance('a'))).toMatchObject({ leads: true, untilMs });
    clock.advance(1);
    const renewed = { leads: true, untilMs: clock.nowMs() + LEADER_TTL_MS };
    expect(await holdLeadership(deps, instance('a'))).toMatchObject(renewed);
    // A clock that went back must not leave it with a time far ahead.
    clock.advance(-3_600_000);
    const again = { leads: true, untilMs: clock.nowMs() + LEADER_TTL_MS };
    expect(await holdLeadership(deps, instance('a'))).toMatchObject(again);
  });

  it('hand it over at once when the leader stops, or is known to be gone', async () => {
    const { deps } = await make();
    await holdLeadership(deps, instance('a'));
    await releaseLeadership(deps, 'a');
    expect((await holdLeadership(deps, instance('b'))).leads).toBe(true);
    expect(
      (
        await holdLeadership(
          deps,
          instance('c', () => true),
        )
      ).leads,
    ).toBe(true);
  });

  it('never both begin to lead, however close together they ask', async () => {
    const { deps, clock } = await make();
    await holdLeadership(deps, instance('old'));
    clock.advance(LEADER_TTL_MS);
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, index) => holdLeadership(deps, instance(`i${index}`))),
    );
    expect(asked.filter(({ leads }) => leads)).toHaveLength(1);
  });

  it('let nothing be offered by one that has lost it, even in the middle of a run', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await world.createIssue();
    world.clock.advance(LEADER_TTL_MS);
    await holdLeadership(world.deps, instance('successor'));
    await runOnce(world.deps);
    expect(runner.offers()).toEqual([]);
  });

  it('answer reads and refuse writes as a standby', async () => {
    const { core } = await make();
    core.deps.service.role = 'standby';
    expect((await core.app.request('/api/v1/state')).status).toBe(200);
    const refused = await core.app.request('/api/v1/refresh', {
      method: 'POST',
      headers: { Authorization: 'Bearer write-secret' },
    });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
    expect(await refused.json()).toMatchObject({ status: 503, code: 'standby' });
  });
});

describe('the report of a start', () => {
  it('tells of each live attempt what became of it, and nothing that did not happen', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await world.restart();
    await beginRecovery(world.deps);
    expect(await getRecovery(world.deps)).toMatchObject({
      settled: false,
      attempts: [{ attemptId: lease.attemptId, result: 'waiting' }],
    });
    world.clock.advance(1_000);
    const held = [
      {
        attemptId: lease.attemptId,
        epoch: lease.epoch,
        phase: 'running' as const,
        containerId: null,
        spooledSeq: 0,
        ackedSeq: 0,
      },
    ];
    await runner.hello({ held });
    expect(await getRecovery(world.deps)).toMatchObject({
      settled: true,
      attempts: [{ result: 'kept' }],
    });
    await runner.finish(lease);
    expect(await getRecovery(world.deps)).toMatchObject({
      attempts: [{ result: 'ended', detail: 'completed' }],
    });
  });

  it('says that an attempt was moved when its runner stayed away', async () => {
    const { world, lease } = await sceneWithLease(make);
    await world.restart();
    await beginRecovery(world.deps);
    await addRunner(world);
    await world.pass(101_000);
    await world.pass(1_000);
    expect(await getRecovery(world.deps)).toMatchObject({
      attempts: [{ attemptId: lease.attemptId, result: 'requeued' }],
    });
  });
});

describe('retention', () => {
  it('deletes a little at a time, old events only, and never the audit', async () => {
    const { world } = await sceneWithRunner(make);
    const { db } = world.deps;
    await world.createIssue();
    await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS_PER_SWEEP + 10})
      insert into event_chunks (first_seq, last_seq, at_ms, items) select i - 100000, i - 100000, 0, '[]' from n`);
    const { retention } = await world.deps.config.load();
    const count = async () => (await db.select().from(eventChunks)).length;
    const before = await count();
    expect(await sweepRetention(world.deps, retention)).toBe(true);
    expect(await count()).toBe(before - ROWS_PER_SWEEP);
    expect(await sweepRetention(world.deps, retention)).toBe(false);
    const young = await count();
    expect(young).toBe(before - ROWS_PER_SWEEP - 10);
    expect(young).toBeGreaterThan(0);
    world.clock.advance(31 * DAY_MS);
    await sweepRetention(world.deps, retention);
    expect(await count()).toBe(0);
    const audited = await db.get<{ entries: number }>(sql`select count(*) as entries from audit`);
    expect(audited.entries).toBeGreaterThan(0);
  });
});
