import { eq } from 'drizzle-orm';
import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import { Usage } from '@switchyard/shared/api/work/usage';
import { describe, expect, it } from 'vitest';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
const FREE = { input: 0, output: 0 };
const make = useCoreWorlds();

async function read<Body>(world: CoreWorld, path: string): Promise<Body> {
  const headers = { Host: 'localhost' };
  const response = await world.core.app.request(`/api/v1${path}`, { headers }, LOCAL);
  return (await response.json()) as Body;
}

const usage = async (world: CoreWorld) => Usage.parse(await read(world, '/usage?days=1'));

const tokens = (total: number): TokenUsage => ({
  input: total,
  cachedInput: 0,
  output: 0,
  reasoning: 0,
  total,
});

async function setPrices(world: CoreWorld, path: string, value: unknown): Promise<Response> {
  return world.core.app.request(
    `/api/v1/config/overlay/${encodeURIComponent(path)}`,
    {
      method: 'PATCH',
      body: JSON.stringify({ value }),
      headers: { Host: 'localhost', 'Content-Type': 'application/json' },
    },
    LOCAL,
  );
}

async function removePrice(world: CoreWorld, path: string): Promise<Response> {
  return world.core.app.request(
    `/api/v1/config/overlay/${encodeURIComponent(path)}`,
    { method: 'DELETE', headers: { Host: 'localhost' } },
    LOCAL,
  );
}

/** A lease of an attempt with a model of this name, under these prices. */
const withModel = (model: string, prices: Record<string, unknown>, more = {}) =>
  sceneWithLease(make, {
    SERVICE_CONFIG__engine__model: model,
    SERVICE_CONFIG__prices: JSON.stringify(prices),
    ...more,
  });

type Scene = Awaited<ReturnType<typeof withModel>>;

async function use({ runner, lease }: Scene, total: number, byModel: Record<string, number> = {}) {
  const totals = tokens(total);
  const models = Object.entries(byModel).map(([model, of]) => ({ model, tokens: tokens(of) }));
  await runner.events(lease, { kind: 'usage', payload: { totals, own: totals, byModel: models } });
}

/** What each sum of the API says of one attempt: issue, attempt, day, engine, totals. */
async function sums({ world, lease }: Scene): Promise<[unknown, unknown][]> {
  const { identifier } = await world.attempt(lease.attemptId);
  type Sum = { costUsd: number | null; unpricedTokens: number };
  const issue = await read<Sum & { attempts: Sum[] }>(world, `/${identifier}`);
  const { days, engines } = await usage(world);
  const { totals } = await read<{
    totals: { cost_usd: number | null; unpriced_tokens: number };
  }>(world, '/state');
  return [
    ...[issue, issue.attempts[0], days[0], engines[0]].map((sum): [unknown, unknown] => [
      sum?.costUsd,
      sum?.unpricedTokens,
    ]),
    [totals.cost_usd, totals.unpriced_tokens],
  ];
}

describe('work without a price', () => {
  it('is counted beside every sum that lacks it', async () => {
    const scene = await withModel('nobody-knows', {});
    await use(scene, 700);
    expect(await sums(scene)).toEqual([
      ...[null, null].map((cost) => [cost, 700]),
      ...[0, null].map((cost) => [cost, 700]),
      [null, 700],
    ]);
  });

  it('lacks only what is not priced, where an attempt asks several models', async () => {
    const scene = await withModel('nobody-knows', { mini: { input: 1, output: 1 } });
    await use(scene, 3_000_000, { mini: 2_000_000 });
    expect(await sums(scene)).toEqual(Array.from({ length: 5 }, () => [2, 1_000_000]));
  });

  it('is none where a model is free', async () => {
    const scene = await withModel('own-machine', { 'own-machine': FREE });
    await use(scene, 700);
    expect(await sums(scene)).toEqual(Array.from({ length: 5 }, () => [0, 0]));
  });

  it('is priced in all by the next report of an attempt whose model was given a price', async () => {
    const scene = await withModel('by-hand-1.5', {});
    await use(scene, 1_000_000);
    const set = await setPrices(scene.world, 'prices.by-hand-1.5', { input: 4, output: 8 });
    expect(set.status).toBe(200);
    await use(scene, 2_000_000);
    expect(await sums(scene)).toEqual(Array.from({ length: 5 }, () => [8, 0]));
  });

  it('costs what a corrected price says, in every sum', async () => {
    const scene = await withModel('by-hand-1.5', {});
    const price = (usd: number) =>
      setPrices(scene.world, 'prices.by-hand-1.5', { input: usd, output: usd });
    await price(1_000);
    await use(scene, 1_000_000);
    await price(1);
    await use(scene, 1_000_000);
    expect(await sums(scene)).toEqual(Array.from({ length: 5 }, () => [1, 0]));
  });

  it('is counted once where a price goes and comes back', async () => {
    const scene = await withModel('org/by-hand-1.5', {});
    const path = 'prices.org/by-hand-1.5';
    await setPrices(scene.world, path, { input: 4, output: 4 });
    await use(scene, 1_000_000);
    expect((await removePrice(scene.world, path)).status).toBe(200);
    await use(scene, 1_000_000);
    expect((await sums(scene))[2]).toEqual([0, 1_000_000]);
    await setPrices(scene.world, path, { input: 4, output: 4 });
    await use(scene, 1_000_000);
    expect(await sums(scene)).toEqual(Array.from({ length: 5 }, () => [4, 0]));
  });

  it('stays as it was where the attempt had ended before', async () => {
    const scene = await withModel('nobody-knows', {});
    await use(scene, 1_000_000);
    await scene.runner.finish(scene.lease, { outcome: 'completed', marker: 'DONE' });
    await setPrices(scene.world, 'prices.nobody-knows', { input: 4, output: 8 });
    expect((await sums(scene))[1]).toEqual([null, 1_000_000]);
  });

  it('is not forgotten by a report that comes late', async () => {
    const scene = await withModel('nobody-knows', { mini: { input: 1, output: 1 } });
    await use(scene, 3_000_000, { mini: 2_000_000 });
    await use(scene, 2_000_000, { mini: 2_000_000 });
    expect(await sums(scene)).toEqual(Array.from({ length: 5 }, () => [2, 1_000_000]));
  });

  it('keeps what is known of each model when the end tells the same total again', async () => {
    const scene = await withModel('nobody-knows', { mini: { input: 1, output: 1 } });
    await use(scene, 3_000_000, { mini: 2_000_000 });
    await scene.runner.finish(scene.lease, {
      outcome: 'completed',
      marker: 'DONE',
      usage: tokens(3_000_000),
    });
    expect(await sums(scene)).toEqual(Array.from({ length: 5 }, () => [2, 1_000_000]));
  });

  it('is named by a budget of cost that ends an attempt', async () => {
    const more = { SERVICE_CONFIG__agent__budget__dayCostUsd: '1' };
    const scene = await withModel('nobody-knows', { mini: { input: 1, output: 1 } }, more);
    await use(scene, 3_000_000, { mini: 2_000_000 });
    const { identifier } = await scene.world.attempt(scene.lease.attemptId);
    await scene.runner.finish(scene.lease, { outcome: 'cancelled' });
    const { reason } = await read<{ reason: string }>(scene.world, `/${identifier}`);
    expect(reason).toContain('spent $2.00 of $1.00');
    expect(reason).toContain('1000000 tokens without a price');
  });
});

describe('the models in use', () => {
  it('are those of the settings, of issues and of attempts, each with its price or none', async () => {
    const { world, lease } = await withModel('first', { second: { input: 1, output: 2 } });
    const { issue_id: id } = await world.attempt(lease.attemptId);
    await setPrices(world, 'engine.model', 'second');
    await world.deps.db.update(issues).set({ model: 'third' }).where(eq(issues.id, id));
    const { prices } = await usage(world);
    expect(prices.models).toEqual([
      { model: 'first', price: null, from: null, usedBy: ['attempts'] },
      { model: 'third', price: null, from: null, usedBy: ['issues'] },
      { model: 'second', price: { input: 1, output: 2 }, from: 'settings', usedBy: ['settings'] },
    ]);
    expect(prices.missing).toEqual(['first']);
  });
});
