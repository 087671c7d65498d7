import { Observability } from '@switchyard/shared/api/observability';
import { State } from '@switchyard/shared/api/work/state';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Statement } from '../../control-plane/src/db/database.ts';
import { jobs } from '../../control-plane/src/db/schema/operation/jobs.ts';
import { appendEvents } from '../../control-plane/src/observe/events/append-events.ts';
import { pauseService } from '../../control-plane/src/issues/pause/pause-service.ts';
import { recordUsage } from '../../control-plane/src/usage/record-usage.ts';
import { type CoreWorld, PERSON } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithLease, sceneWithRunner } from './runner-protocol/scene.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const make = useCoreWorlds();

const ask = (world: CoreWorld, path: string, headers: Record<string, string> = {}) =>
  world.core.app.request(path, { headers: { Host: 'localhost', ...headers } }, LOCAL);

async function look(world: CoreWorld): Promise<Observability> {
  const answer = await ask(world, '/api/v1/observability');
  expect(answer.status).toBe(200);
  return Observability.parse(await answer.json());
}
const signalOf = ({ signals }: Observability, name: string) =>
  signals.find((each) => each.name === name);

describe('GET /api/v1/observability', () => {
  it('is ok while everything is', async () => {
    const { world } = await sceneWithRunner(make);
    await world.tick();
    const seen = await look(world);
    expect(signalOf(seen, 'tracker')).toMatchObject({ status: 'ok' });
    expect(signalOf(seen, 'runners')).toMatchObject({ status: 'ok', message: '1 of 1 connected' });
    expect(seen).toMatchObject({ status: 'ok' });
  });

  it('says which part does not work, and the worst of them for all', async () => {
    const world = await make({ SERVICE_CONFIG__tracker__kind: 'github' });
    await world.tick();
    await pauseService(world.deps, { reason: 'release', stopRunning: false, caller: PERSON });
    await world.deps.db.insert(jobs).values({
      key: 'k',
      kind: 'tracker.comment',
      payload: {},
      status: 'dead',
      due_at_ms: 0,
      created_at_ms: world.clock.nowMs(),
    });
    const seen = await look(world);
    expect(signalOf(seen, 'tracker')).toMatchObject({ status: 'down' });
    expect(signalOf(seen, 'runners')).toMatchObject({ status: 'degraded' });
    expect(signalOf(seen, 'outbox')).toMatchObject({ status: 'degraded' });
    expect(signalOf(seen, 'dispatch')).toMatchObject({
      status: 'degraded',
      message: 'paused: release',
      since: new Date(world.clock.nowMs()).toISOString(),
    });
    expect(seen.status).toBe('down');
  });

  it('keeps since when a tracker has been failing', async () => {
    const world = await make({ SERVICE_CONFIG__tracker__kind: 'github' });
    const beganAt = new Date(world.clock.nowMs()).toISOString();
    await world.tick();
    await world.pass(600_000);
    expect(signalOf(await look(world), 'tracker')).toMatchObject({
      status: 'down',
      since: beganAt,
    });
  });

  it('answers while the database does not', async () => {
    const world = await make();
    await look(world);
    world.failDatabase('everything');
    const seen = await look(world);
    expect(seen.signals).toMatchObject([{ name: 'database', status: 'down' }]);
    world.failDatabase('none');
  });

  it('sums up the metrics', async () => {
    const world = await make();
    await ask(world, '/api/v1/state');
    const { metrics } = await look(world);
    expect(metrics).toHaveLength(16);
    expect(metrics.find(({ name }) => name === 'service_http_requests_total')).toEqual({
      name: 'service_http_requests_total',
      type: 'counter',
      series: [{ labels: { method: 'GET', status: '200' }, value: 1 }],
    });
    const times = metrics.find(({ name }) => name === 'service_http_request_duration_seconds');
    expect(times?.series[0]).toMatchObject({ labels: { method: 'GET' }, value: 1 });
    expect(times?.series[0]?.mean).toBeGreaterThan(0);
  });
});

const ZERO = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };

/** What a look at a tracker without news leaves. */
function pollCompleted({ deps }: CoreWorld) {
  const atMs = deps.clock.nowMs();
  const data = { tracker: 'local', seen: 1, changed: 0 };
  const [first, ...rest] = appendEvents(deps.db, atMs, [{ type: 'poll.completed', atMs, data }]);
  if (first === undefined) throw new Error('no statement');
  return [first, ...rest] as const;
}

describe('GET /api/v1/state', () => {
  const readState = async (world: CoreWorld) =>
    State.parse(await (await ask(world, '/api/v1/state')).json());

  it('answers 304 until something changes that it shows', async () => {
    const world = await make();
    const identifier = await world.createIssue();
    await world.tick();
    const tag = (await ask(world, '/api/v1/state')).headers.get('ETag') ?? '';
    const again = await ask(world, '/api/v1/state', { 'If-None-Match': tag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    // Even a change that nobody wrote an event for.
    await world.deps.db.run(sql`update issues set title = 'Renamed'`);
    const changed = await ask(world, '/api/v1/state', { 'If-None-Match': tag });
    expect(changed.status).toBe(200);
    const { queued } = State.parse(await changed.json());
    expect(queued).toMatchObject([{ identifier, title: 'Renamed' }]);
  });

  it('stays unchanged over a poll that finds nothing', async () => {
    const world = await make();
    await world.createIssue();
    await world.tick();
    const tag = (await ask(world, '/api/v1/state')).headers.get('ETag') ?? '';
    await world.deps.db.batch([...pollCompleted(world)]);
    expect((await ask(world, '/api/v1/state', { 'If-None-Match': tag })).status).toBe(304);
  });

  it('keeps the totals of all threads, each counted once, and counts attempts', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const used = { input: 900, cachedInput: 100, output: 50, reasoning: 10, total: 950 };
    const thread = { threadId: 'th-1', resumed: false, engineVersion: '1' };
    await runner.events(lease, { kind: 'thread', payload: thread });
    await runner.events(lease, { kind: 'usage', payload: { totals: used } });
    expect((await readState(world)).totals).toMatchObject({
      tokens: used,
      attempts: 1,
      cost_usd: null,
      unpriced_tokens: 950,
    });
    // What a thread has used in all is told again by the attempt that goes on with it.
    const more = { ...used, input: 1_000, total: 1_050 };
    const report = { tracker: 'local', issueId: 'i-2', attemptId: 'a-2' };
    const nowMs = world.clock.nowMs();
    const tell = (tokens: typeof used, threadId: string) =>
      recordUsage(world.deps.db, {
        ...report,

        source: { threadId },
        tokens,
        nowMs,
        model: null,
        cost: { usd: 2, unpricedTokens: 30 },
      });
    await world.deps.db.batch([...tell(more, 'th-1'), ...tell(used, 'th-2')] as [Statement]);
    expect((await readState(world)).totals).toMatchObject({
      tokens: { input: 1_900, total: 2_000 },
      cost_usd: 4,
      unpriced_tokens: 60,
      attempts: 1,
    });
    await world.deps.db.run(sql`delete from attempts`);
    await world.deps.db.run(sql`delete from thread_usage where thread_id = 'th-1'`);
    await world.deps.db.run(sql`update issues set version = version + 1`);
    expect((await readState(world)).totals).toMatchObject({
      tokens: used,
      cost_usd: 2,
      unpriced_tokens: 30,
      attempts: 0,
    });
  });

  it.each(['', '/attempts'])('has issues as company: /:id%s', async (part) => {
    const { world, runner, lease } = await sceneWithLease(make);
    const { identifier } = (await readState(world)).running[0] ?? { identifier: '' };
    const path = `/api/v1/${identifier}${part}`;
    const status = async (tag: string) => (await ask(world, path, { 'If-None-Match': tag })).status;
    const tag = (await ask(world, path)).headers.get('ETag') ?? '';
    expect(await status(tag)).toBe(304);
    await runner.events(lease, { kind: 'usage', payload: { totals: { ...ZERO, total: 7 } } });
    expect(await status(tag)).toBe(200);
    const next = (await ask(world, path)).headers.get('ETag') ?? '';
    expect(next).not.toBe(tag);
    expect(await status(next)).toBe(304);
    await world.deps.db.run(sql`update issues set title = 'Renamed'`);
    expect(await status(next)).toBe(200);
  });

  it.each(['/api/v1/runtime', '/api/v1/runners', '/api/v1/audit', '/api/v1/templates'])(
    'is not alone: %s answers 304 too',
    async (path) => {
      const world = await make();
      const tag = (await ask(world, path)).headers.get('ETag') ?? '';
      expect(tag).toMatch(/^W\/"/);
      expect((await ask(world, path, { 'If-None-Match': `"x", ${tag}` })).status).toBe(304);
      expect((await ask(world, path, { 'If-None-Match': '"x"' })).status).toBe(200);
    },
  );
});
