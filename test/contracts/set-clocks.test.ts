import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { attempts } from '../../control-plane/src/db/schema/work/attempts.ts';
import { eventChunks } from '../../control-plane/src/db/schema/operation/events.ts';
import { jobs } from '../../control-plane/src/db/schema/operation/jobs.ts';
import { joinTokens, runners } from '../../control-plane/src/db/schema/runners/runners.ts';
import { createJoinToken } from '../../control-plane/src/runners/admin/create-join-token.ts';
import { sweepRetention } from '../../control-plane/src/coordinator/sweep-retention.ts';
import { PERSON } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { heldItem } from '../support/core/scripted-runner.ts';
import { addRunner, sceneWithLease, sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('a clock that is set', () => {
  it('forward ends no lease that its runner still renews', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await world.pass(world.deps.service.leaseTimes.ttlMs - 5_000);
    await runner.renew([heldItem(lease)]);
    await world.tick();
    world.clock.set(HOUR_MS);
    await world.tick();
    await world.tick();
    expect(await world.attempt(lease.attemptId)).toMatchObject({ epoch: 1, status: 'running' });
    expect(await runner.renew([heldItem(lease)])).toMatchObject({ type: 'renewed' });
    await world.pass(world.deps.service.leaseTimes.ttlMs);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ epoch: 1, status: 'running' });
    // One that is silent by the new time is moved as always.
    await world.pass(world.deps.service.leaseTimes.graceMs + 1);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ epoch: 2, status: 'queued' });
  });

  it('back leaves no lease of a runner that is gone for longer than one lease time', async () => {
    const { world, lease } = await sceneWithLease(make);
    world.clock.set(-DAY_MS);
    await world.tick();
    const { ttlMs, graceMs } = world.deps.service.leaseTimes;
    await world.pass(ttlMs);
    await world.pass(graceMs + 1);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ epoch: 2, status: 'queued' });
  });

  it('back lets nothing wait for longer than its interval', async () => {
    const { world } = await sceneWithRunner(make);
    const { db } = world.deps;
    await world.tick();
    await world.createIssue();
    await world.deps.db.run(sql`update issues set status = 'retrying', next_retry_at_ms =
      ${world.clock.nowMs() + 10_000}`);
    await createJoinToken(world.deps, { labels: [], expiresInMs: HOUR_MS, caller: PERSON });
    world.clock.set(-DAY_MS);
    await world.tick();
    const nowMs = world.clock.nowMs();
    for (const { key, due_at_ms: dueAtMs } of await db
      .select()
      .from(jobs)
      .where(eq(jobs.status, 'pending'))) {
      expect(dueAtMs - nowMs, key).toBeLessThanOrEqual(HOUR_MS);
    }
    const { agent } = await world.deps.config.load();
    const { next_retry_at_ms: retryAtMs } = await world.issue('SY-1');
    expect((retryAtMs ?? 0) - nowMs).toBeLessThanOrEqual(agent.maxRetryBackoffMs);
    for (const token of await db.select().from(joinTokens)) {
      expect(token.expires_at_ms - nowMs).toBeLessThanOrEqual(HOUR_MS);
    }
    for (const row of await db.select().from(runners)) {
      expect(row.last_seen_at_ms ?? 0).toBeLessThanOrEqual(nowMs);
    }
    const chunks = await db.select().from(eventChunks);
    expect(Math.max(...chunks.map((row) => row.at_ms))).toBeLessThanOrEqual(nowMs);
  });

  it('back before a start is noticed by the next leader', async () => {
    const { world, lease } = await sceneWithLease(make);
    world.clock.set(-DAY_MS);
    await world.restart();
    await world.tick();
    await addRunner(world);
    const { ttlMs, graceMs } = world.deps.service.leaseTimes;
    await world.pass(ttlMs);
    await world.pass(graceMs + 1);
    await world.tick();
    const [row] = await world.deps.db
      .select()
      .from(attempts)
      .where(eq(attempts.attempt_id, lease.attemptId));
    expect(row?.epoch).toBeGreaterThan(1);
  });

  it('back does not keep old rows behind those of the time ahead', async () => {
    const { world } = await sceneWithRunner(make);
    const { db } = world.deps;
    const nowMs = world.clock.nowMs();
    await db.delete(eventChunks);
    const chunk = (seq: number, atMs: number) => ({
      first_seq: -seq,
      last_seq: -seq,
      at_ms: atMs,
      items: [],
    });
    const oldMs = nowMs - 40 * DAY_MS;
    const wrong = Array.from({ length: 600 }, (_, at) => chunk(5_000 - at, nowMs + 300 * DAY_MS));
    const old = Array.from({ length: 300 }, (_, at) => chunk(4_000 - at, oldMs));
    for (const row of [...wrong, ...old, chunk(1, nowMs)]) await db.insert(eventChunks).values(row);
    const { retention } = await world.deps.config.load();
    for (let sweeps = 0; sweeps < 5; sweeps += 1) await sweepRetention(world.deps, retention);
    expect((await db.select().from(eventChunks)).map((row) => row.first_seq)).toEqual([-1]);
  });

  it('back lets rows of the time ahead count from now on', async () => {
    const { world } = await sceneWithRunner(make);
    const { db } = world.deps;
    const aheadMs = world.clock.nowMs() + 300 * DAY_MS;
    await db.run(sql`insert into transitions (tracker, issue_id, identifier, from_state, to_state,
      at_ms, actor) values ('local', '1', 'SY-1', 'Todo', 'Done', ${aheadMs}, 'ada')`);
    const { retention } = await world.deps.config.load();
    await sweepRetention(world.deps, retention);
    world.clock.advance((retention.historyDays + 1) * DAY_MS);
    await sweepRetention(world.deps, retention);
    const left = await db.get<{ rows: number }>(sql`select count(*) as rows from transitions`);
    expect(left.rows).toBe(0);
  });
});
