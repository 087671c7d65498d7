import { describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { runOnce } from '../support/core/run-once.ts';
import { attemptChecks } from '../../control-plane/src/db/schema/work/attempt-checks.ts';
import { eventChunks } from '../../control-plane/src/db/schema/operation/events.ts';
import { leader } from '../../control-plane/src/db/schema/operation/leader.ts';
import {
  createLeadership,
  DATA_TRANSFER,
  LEADER_RENEW_MS,
  LEADER_TTL_MS,
  releaseLeadership,
} from '../../control-plane/src/jobs/leadership/create-leadership.ts';
import { beginRecovery } from '../../control-plane/src/runners/recovery/begin-recovery.ts';
import { getRecovery } from '../../control-plane/src/runners/recovery/get-recovery.ts';
import {
  ROWS_PER_SWEEP,
  sweepRetention,
} from '../../control-plane/src/coordinator/sweep-retention.ts';
import { newIdentity } from '../../control-plane/src/admin/service/new-identity.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { heldItem } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner, sceneWithLease, sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A further instance on the world's database, with the world's clock set by so much. */
function instance(world: CoreWorld, name: string, { aheadMs = 0, gone = false } = {}) {
  const clock = { ...world.clock, nowMs: () => world.clock.nowMs() + aheadMs };
  const given = { ...world.deps.service, instanceId: name };
  const deps = { ...world.deps, clock, service: newIdentity(clock, given) };
  const holder = `host ${name}`;
  return { deps, hold: createLeadership(deps, { holder, holderGone: () => gone }) };
}

describe('two instances on one database', () => {
  it('have one leader, which keeps it by renewing and loses it by silence', async () => {
    const world = await make();
    const [a, b] = [instance(world, 'a'), instance(world, 'b')];
    expect((await a.hold()).leads).toBe(true);
    expect(await b.hold()).toMatchObject({ leads: false, leaderId: 'a' });
    world.clock.advance(LEADER_TTL_MS - 1);
    expect((await a.hold()).leads).toBe(true);
    world.clock.advance(1);
    expect((await b.hold()).leads).toBe(false);
    world.clock.advance(LEADER_TTL_MS - 1);
    expect((await b.hold()).leads).toBe(false);
    world.clock.advance(1);
    expect((await b.hold()).leads).toBe(true);
    expect((await a.hold()).leads).toBe(false);
  });

  it('renew after a while only, and are told when to hold it again', async () => {
    const world = await make();
    const { hold } = instance(world, 'a');
    const row = async () => (await world.deps.db.select().from(leader))[0];
    expect(await hold()).toMatchObject({ leads: true, nextCheckInMs: LEADER_RENEW_MS });
    const before = await row();
    world.clock.advance(LEADER_RENEW_MS - 1);
    expect(await hold()).toMatchObject({ leads: true });
    expect(await row()).toEqual(before);
    world.clock.advance(1);
    await hold();
    const renewed = await row();
    expect(renewed?.until_ms).toBe(world.clock.nowMs() + LEADER_TTL_MS);
    expect(renewed?.term).toBe(before?.term);
    // A renewal is seen even where the clock stands still or goes back.
    for (const setByMs of [-LEADER_RENEW_MS, -HOUR_MS, 2 * HOUR_MS]) {
      world.clock.set(setByMs);
      world.clock.advance(LEADER_RENEW_MS);
      const last = await row();
      expect((await hold()).leads).toBe(true);
      expect((await row())?.until_ms).toBeGreaterThan(last?.until_ms ?? 0);
    }
  });

  it('succeed a row that is dated a day ahead once it stays unchanged', async () => {
    const world = await make();
    const old = instance(world, 'old', { aheadMs: DAY_MS });
    expect((await old.hold()).leads).toBe(true);
    const successor = instance(world, 'successor');
    expect((await successor.hold()).leads).toBe(false);
    world.clock.advance(LEADER_TTL_MS);
    expect((await successor.hold()).leads).toBe(true);
    expect((await old.hold()).leads).toBe(false);
  });

  it('never unseat one whose clock is an hour behind or ahead while it renews', async () => {
    const world = await make();
    const behind = instance(world, 'behind', { aheadMs: -HOUR_MS });
    const ahead = instance(world, 'ahead', { aheadMs: HOUR_MS });
    expect((await behind.hold()).leads).toBe(true);
    for (let passed = 0; passed < 20 * LEADER_TTL_MS; passed += LEADER_RENEW_MS) {
      world.clock.advance(LEADER_RENEW_MS);
      const order = passed % 2 === 0 ? [behind, ahead] : [ahead, behind];
      const leads = [];
      for (const { hold } of order) leads.push((await hold()).leads);
      expect(leads.filter(Boolean)).toHaveLength(1);
    }
    expect((await behind.hold()).leads).toBe(true);
  });

  it('hand it over at once when the leader stops, or is known to be gone', async () => {
    const world = await make();
    const a = instance(world, 'a');
    await a.hold();
    await releaseLeadership(a.deps);
    expect((await instance(world, 'b').hold()).leads).toBe(true);
    expect((await instance(world, 'c', { gone: true }).hold()).leads).toBe(true);
  });

  it('leave a row alone that holds for a copy of the data, however long it takes', async () => {
    const world = await make();
    const held = { id: 1, instance_id: 'transfer', holder: DATA_TRANSFER, term: 1, until_ms: 0 };
    await world.deps.db.insert(leader).values(held);
    const { hold } = instance(world, 'a');
    for (let look = 0; look < 5; look += 1) {
      expect((await hold()).leads).toBe(false);
      world.clock.advance(LEADER_TTL_MS);
    }
  });

  it('never both begin to lead, however close together they ask', async () => {
    const world = await make();
    await instance(world, 'old').hold();
    const all = Array.from({ length: 8 }, (_, index) => instance(world, `i${index}`));
    for (const { hold } of all) await hold();
    world.clock.advance(LEADER_TTL_MS);
    const asked = await Promise.all(all.map(({ hold }) => hold()));
    expect(asked.filter(({ leads }) => leads)).toHaveLength(1);
  });

  it('let nothing be offered by one that has lost it, even in the middle of a run', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await world.tick();
    await world.createIssue();
    const successor = instance(world, 'successor', { gone: true });
    expect((await successor.hold()).leads).toBe(true);
    // It slept: by its own clock its time is not up.
    expect(world.deps.service.lead.untilMs).toBeGreaterThan(world.clock.monotonicMs());
    await runOnce(world.deps);
    expect(runner.offers()).toEqual([]);
  });

  it('let nothing be offered by one that could not renew for its time to live', async () => {
    const { world, runner } = await sceneWithRunner(make);
    await world.createIssue();
    world.clock.advance(LEADER_TTL_MS);
    await runOnce(world.deps);
    expect(runner.offers()).toEqual([]);
    await world.tick();
    expect(runner.offers()).toHaveLength(1);
  });

  it('let no lease be renewed by one that another has succeeded', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const successor = instance(world, 'successor', { gone: true });
    await successor.hold();
    expect(await runner.renew([heldItem(lease)])).toMatchObject({
      type: 'error',
      code: 'UNAVAILABLE',
      retryable: true,
    });
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

  it('clears what checks printed long ago, a little at a time, and keeps what came out', async () => {
    const world = await make();
    const { db } = world.deps;
    const { retention } = await world.deps.config.load();
    const oldMs = world.clock.nowMs() - (retention.eventsDays + 1) * DAY_MS;
    const check = (at: number, endedAtMs: number) => ({
      attempt_id: `att_${at}`,
      name: 'test',
      state: 'failed' as const,
      epoch: 1,
      run: 2,
      commit_sha: 'a'.repeat(40),
      exit_code: 1,
      output: '1 failed',
      started_at_ms: endedAtMs - 1_000,
      ended_at_ms: endedAtMs,
    });
    const old = Array.from({ length: ROWS_PER_SWEEP + 10 }, (_, at) => check(at, oldMs));
    for (const row of [...old, check(9_999, world.clock.nowMs())])
      await db.insert(attemptChecks).values(row);
    const printed = async () =>
      (await db.select().from(attemptChecks)).flatMap(({ attempt_id: id, output }) =>
        output === null ? [] : [id],
      );
    expect(await sweepRetention(world.deps, retention)).toBe(true);
    expect(await printed()).toHaveLength(11);
    expect(await sweepRetention(world.deps, retention)).toBe(false);
    expect(await printed()).toEqual(['att_9999']);
    const [row] = await db.select().from(attemptChecks);
    expect(row).toMatchObject({ state: 'failed', exit_code: 1, run: 2, ended_at_ms: oldMs });
  });
});
