import { eq } from 'drizzle-orm';
import { attempts } from '../../control-plane/src/db/schema/work/attempts.ts';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { Usage } from '@switchyard/shared/api/work/usage';
import { describe, expect, it } from 'vitest';
import { lastEventSeq, seqBefore } from '../../control-plane/src/observe/events/queries.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner, sceneWithLease } from './runner-protocol/scene.ts';

const NO_TOKENS = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };
const LOCAL = { remoteAddress: '127.0.0.1' };
const make = useCoreWorlds();

const ask = (world: CoreWorld, query: string) =>
  world.core.app.request(`/api/v1/usage${query}`, { headers: { Host: 'localhost' } }, LOCAL);

describe('GET /api/v1/usage', () => {
  it('tells every day of the period, with what was used and how attempts ended', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const thread = { threadId: 't1', resumed: false, engineVersion: '1' };
    const totals = { input: 700, cachedInput: 0, output: 50, reasoning: 0, total: 750 };
    await runner.events(lease, { kind: 'thread', payload: thread });
    await runner.events(lease, { kind: 'usage', payload: { totals } });
    await runner.finish(lease, { outcome: 'failed', failureKind: 'agent_error', message: 'no' });
    const { days } = Usage.parse(await (await ask(world, '?days=3')).json());
    const today = new Date(world.clock.nowMs()).toISOString().slice(0, 10);
    expect(days).toHaveLength(3);
    expect(days[2]).toEqual({
      day: today,
      tokens: 750,
      costUsd: 0,
      unpricedTokens: 750,
      completed: 0,
      delivered: 0,
      continued: 0,
      failed: 1,
      cancelled: 0,
    });
    expect(days[0]).toMatchObject({ tokens: 0, failed: 0 });
  });

  it('tells what each engine used, with its models and accounts', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const tokens = { ...NO_TOKENS, input: 700, total: 750 };
    await runner.events(lease, { kind: 'usage', payload: { totals: tokens, own: tokens } });
    const { model } = await world.attempt(lease.attemptId);
    const { engines } = Usage.parse(await (await ask(world, '?days=1')).json());
    const row = { engine: 'codex', model, account: null, attempts: 1, tokens: 750 };
    const unpriced = { ...row, unpricedTokens: 750 };
    expect(engines).toEqual([{ ...unpriced, costUsd: null }]);
    const other = { engine: 'other', account: 'second', cost_usd: 0.5 };
    const { attempt_id: attemptId } = await world.attempt(lease.attemptId);
    await world.deps.db.update(attempts).set(other).where(eq(attempts.attempt_id, attemptId));
    const after = Usage.parse(await (await ask(world, '?days=1')).json());
    expect(after.engines).toEqual([
      { ...unpriced, engine: 'other', account: 'second', costUsd: 0.5 },
    ]);
  });

  it('reckons a model beside the attempt’s own by that one’s price', async () => {
    const prices = { large: { input: 100, output: 0 }, mini: { input: 1, output: 0 } };
    const { world, runner, lease } = await sceneWithLease(make, {
      SERVICE_CONFIG__engine__model: 'large',
      SERVICE_CONFIG__prices: JSON.stringify(prices),
    });
    const tokens = (total: number) => ({ ...NO_TOKENS, input: total, total });
    const all = tokens(3_000_000);
    const byModel = [
      { model: 'large', tokens: tokens(1_000_000) },
      { model: 'mini-20260101', tokens: tokens(2_000_000) },
    ];
    await runner.events(lease, { kind: 'usage', payload: { totals: all, own: all, byModel } });
    const { days, engines } = Usage.parse(await (await ask(world, '?days=1')).json());
    expect(days[0]).toMatchObject({ tokens: 3_000_000, costUsd: 102 });
    expect(engines).toMatchObject([{ model: 'large', tokens: 3_000_000, costUsd: 102 }]);
  });

  it('counts as delivered only what the agent says is done', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.finish(lease, { outcome: 'completed', marker: null });
    await world.pass(5_000);
    await runner.finish(await runner.accept(runner.offer()), {
      outcome: 'completed',
      marker: 'DONE',
    });
    const { days } = Usage.parse(await (await ask(world, '?days=1')).json());
    expect(days[0]).toMatchObject({ completed: 2, delivered: 1, continued: 1, failed: 0 });
  });

  it('says what the cost is reckoned by, and which models have no price', async () => {
    const { world, lease } = await sceneWithLease(make);
    const model = (await world.attempt(lease.attemptId)).model ?? '';
    const { prices } = Usage.parse(await (await ask(world, '?days=1')).json());
    expect([...prices.missing, ...prices.listed]).toEqual([model]);
    expect(prices.source).toMatch(/^https:/);
  });

  it('sums up what attempts used themselves, not what their thread had used before', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const tokens = (total: number) => ({ ...NO_TOKENS, input: total, total });
    const use = (own: number, thread: number) =>
      runner.events(lease, {
        kind: 'usage',
        payload: { totals: tokens(thread), own: tokens(own) },
      });
    const thread = { threadId: 't1', resumed: true, engineVersion: '1' };
    await runner.events(lease, { kind: 'thread', payload: thread });
    await use(100, 5_100);
    await use(300, 5_300);
    const { tokens: ofAttempt, issue_id: id } = await world.attempt(lease.attemptId);
    expect(ofAttempt).toEqual(tokens(300));
    const [issue] = await world.deps.db.select().from(issues).where(eq(issues.id, id));
    expect(issue?.tokens).toEqual(tokens(300));
    const { days } = Usage.parse(await (await ask(world, '?days=1')).json());
    expect(days[0]?.tokens).toBe(300);
  });

  it('adds up what the leases of a moved attempt used', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const tokens = (total: number) => ({ ...NO_TOKENS, input: total, total });
    const usage = (own: number, thread: number) => ({
      kind: 'usage' as const,
      payload: { totals: tokens(thread), own: tokens(own) },
    });
    await runner.events(lease, usage(400, 400));
    await world.pass(world.deps.service.leaseTimes.ttlMs);
    await world.pass(world.deps.service.leaseTimes.graceMs + 1);
    const other = await addRunner(world);
    await world.tick();
    const next = await other.accept(other.offer());
    expect(next).toMatchObject({ attemptId: lease.attemptId });
    await other.events(next, usage(50, 450));
    await other.finish(next, {
      outcome: 'failed',
      failureKind: 'agent_error',
      message: 'no',
      usage: tokens(50),
    });
    const { tokens: ofAttempt, issue_id: id } = await world.attempt(lease.attemptId);
    expect(ofAttempt).toEqual(tokens(450));
    const [issue] = await world.deps.db.select().from(issues).where(eq(issues.id, id));
    expect(issue?.tokens).toEqual(tokens(450));
    const { days } = Usage.parse(await (await ask(world, '?days=1')).json());
    expect(days[0]?.tokens).toBe(450);
  });

  it('refuses a period that is none', async () => {
    const world = await make();
    for (const query of ['?days=0', '?days=x', '?days=400']) {
      expect((await ask(world, query)).status).toBe(400);
    }
  });
});

describe('the beginning of a stream', () => {
  it('lies so many events before now, and never before the first', async () => {
    const { world } = await sceneWithLease(make);
    const last = await lastEventSeq(world.deps.db);
    expect(last).toBeGreaterThan(2);
    expect(await seqBefore(world.deps.db, 0)).toBe(last);
    expect(await seqBefore(world.deps.db, 2)).toBe(last - 2);
    expect(await seqBefore(world.deps.db, 100_000)).toBe(0);
  });
});
