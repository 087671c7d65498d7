import { afterEach, describe, expect, it } from 'vitest';
import { upstreamPauses } from '../../control-plane/src/db/schema/work/pauses.ts';
import { createCoreWorld } from '../support/core/core-world.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { sceneWithRunner } from './runner-protocol/scene.ts';

const worlds: CoreWorld[] = [];
const make = async (variables?: Record<string, string>) => {
  const world = await createCoreWorld(openFramePeer, variables);
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const garbage = {
  outcome: 'failed',
  failureKind: 'provider_unreachable',
  message: 'the answer could not be read',
} as const;
const totals = { input: 9, cachedInput: 0, output: 1, reasoning: 0, total: 10 };
const silence = {
  ...garbage,
  reasonCode: 'provider_silent',
  message: 'the model provider was asked and has sent nothing for 225 s',
} as const;
const done = { outcome: 'completed', marker: 'DONE' } as const;

/**
 * A night with one slot: each offer is taken, the bad issue's provider answers garbage, every other
 * one is done. Answers the order in which issues ran, until nothing happens for ten minutes.
 */
async function night(
  bad: string,
  { world, runner }: Awaited<ReturnType<typeof sceneWithRunner>>,
  failure: typeof garbage | typeof silence = garbage,
) {
  const ran: string[] = [];
  for (let quiet = 0; quiet < 60 && ran.length < 40;) {
    const [offer] = runner.offers();
    if (offer === undefined) {
      quiet += 1;
      await world.pass(10_000);
      continue;
    }
    quiet = 0;
    const { identifier } = offer.spec.issue;
    ran.push(identifier);
    await runner.finish(await runner.accept(offer), identifier === bad ? failure : done);
    await world.tick();
  }
  return ran;
}

describe('an issue whose provider answers garbage', () => {
  it('does not starve the others with one slot, uses its own tries and ends', async () => {
    const scene = await sceneWithRunner(make, { slots: 1 });
    const { world } = scene;
    const bad = await world.createIssue({ priority: 1 });
    const others = [
      await world.createIssue(),
      await world.createIssue(),
      await world.createIssue(),
    ];
    await world.tick();
    const ran = await night(bad, scene);
    expect(ran[0]).toBe(bad);
    // The next canary is another one, although the bad issue is first in line.
    expect(others).toContain(ran[1]);
    for (const other of others) {
      expect(await world.issue(other)).toMatchObject({ status: 'completed' });
    }
    expect(await world.issue(bad)).toMatchObject({ status: 'failed' });
    // The first two say nothing about whose fault it is; each further one uses a try.
    expect(ran.filter((one) => one === bad).length).toBeLessThanOrEqual(9);
    const last = await world.issue(bad);
    expect(last.reason).toContain('other issues succeed with the same model provider');
    expect(await world.deps.db.select().from(upstreamPauses)).toEqual([]);
  });

  it('is a stalled turn where the provider sends nothing, and ends as one', async () => {
    const scene = await sceneWithRunner(make, { slots: 1 });
    const { world } = scene;
    const bad = await world.createIssue({ priority: 1 });
    for (let count = 0; count < 3; count += 1) await world.createIssue();
    await world.tick();
    await night(bad, scene, silence);
    expect(await world.issue(bad)).toMatchObject({
      status: 'failed',
      reason_code: 'turn_stalled',
      reason: expect.stringContaining('has sent nothing for 225 s (other issues succeed') as string,
    });
    expect(await world.deps.db.select().from(upstreamPauses)).toEqual([]);
  });

  it('is judged by answers to an attempt that began long before', async () => {
    const scene = await sceneWithRunner(make, { slots: 2 });
    const { world, runner } = scene;
    await world.createIssue();
    await world.tick();
    const long = await runner.accept(runner.offer());
    const bad = await world.createIssue();
    await world.tick();
    await runner.finish(await runner.accept(runner.offer()), silence);
    await world.pass(15_000);
    const again = await runner.accept(runner.offer());
    await world.pass(1_000);
    await runner.events(long, { kind: 'usage', payload: { totals, own: totals } });
    await runner.finish(again, silence);
    expect(await world.attempt(again.attemptId)).toMatchObject({
      outcome: 'stalled',
      failure_kind: 'turn_stalled',
    });
    expect(await world.issue(bad)).toMatchObject({ status: 'retrying', run_count: 1 });
  });

  it.each([
    ['only before it was asked again', 'before'],
    ['and fell silent to one that began as long ago', 'then-silent'],
    ['nothing new, and its usage was told once more', 'repeated'],
    ['nothing yet', 'nothing'],
  ])('is the provider’s while it had answered another %s', async (_what, when) => {
    const scene = await sceneWithRunner(make, { slots: 3 });
    const { world, runner } = scene;
    await world.createIssue();
    await world.createIssue();
    await world.tick();
    const [one, two] = runner.offers();
    if (one === undefined || two === undefined) throw new Error('two offers were expected');
    const long = await runner.accept(one);
    const other = await runner.accept(two);
    const none = { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 };
    const told = when === 'nothing' ? none : totals;
    const usage = { kind: 'usage', payload: { totals: told, own: told } };
    if (when === 'repeated') await runner.events(long, usage);
    await world.pass(1_000);
    const bad = await world.createIssue();
    await world.tick();
    await runner.finish(await runner.accept(runner.offer()), silence);
    await world.pass(1_000);
    if (when === 'before') await runner.events(long, usage);
    await world.pass(15_000);
    const again = await runner.accept(runner.offer());
    await world.pass(1_000);
    if (when !== 'before') await runner.events(long, usage);
    await world.pass(1_000);
    if (when === 'then-silent') await runner.finish(other, silence);
    await runner.finish(again, silence);
    expect(await world.attempt(again.attemptId)).toMatchObject({
      outcome: 'failed',
      failure_kind: 'provider_unreachable',
      reason_code: 'provider_silent',
    });
    expect(await world.issue(bad)).toMatchObject({ run_count: 0 });
  });

  it('is the canary again when no other issue is there to be one', async () => {
    const scene = await sceneWithRunner(make, { slots: 1 });
    const { world, runner } = scene;
    const bad = await world.createIssue();
    await world.tick();
    for (let times = 0; times < 8; times += 1) {
      await runner.finish(await runner.accept(runner.offer()), garbage);
      await world.pass(300_001);
    }
    // Nobody knows better: it costs nothing.
    expect(await world.issue(bad)).toMatchObject({ status: 'queued', run_count: 1 });
  });

  it('keeps its failure a failure of the provider while nobody succeeds', async () => {
    const scene = await sceneWithRunner(make, { slots: 1 });
    const { world, runner } = scene;
    await world.createIssue();
    await world.createIssue();
    await world.tick();
    const ran: string[] = [];
    for (let times = 0; times < 8; times += 1) {
      const offer = runner.offer();
      ran.push(offer.spec.issue.identifier);
      await runner.finish(await runner.accept(offer), garbage);
      await world.pass(300_001);
    }
    // They take turns, and neither uses a try.
    expect(ran.every((one, index) => index === 0 || one !== ran[index - 1])).toBe(true);
    const [pause] = await world.deps.db.select().from(upstreamPauses);
    expect(pause?.failures).toBe(8);
  });
});
