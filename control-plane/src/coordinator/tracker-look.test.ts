import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../test/support/core/runner-peers.ts';
import {
  WEBHOOK_VARIABLES,
  sendTrackerDelivery,
} from '../../../test/support/core/signed-deliveries.ts';
import {
  type FakeLinear,
  refusal,
  startFakeLinear,
} from '../../../test/support/linear/fake-linear.ts';
import { linearSettingsOf } from '../setup/linear-settings-of.ts';
import { connectLinear } from '../trackers/linear/connect-linear.ts';
import { timerDueAtMs } from './timers.ts';

const ACTIVE = 100;
const PAGES = 2;
const POLL_MS = 15_000;

let world: CoreWorld;
let fake: FakeLinear;
beforeEach(async () => {
  fake = await startFakeLinear();
  world = await createCoreWorld(openFramePeer, {
    ...WEBHOOK_VARIABLES,
    SERVICE_CONFIG__tracker__kind: 'linear',
    SERVICE_CONFIG__tracker__linear__endpoint: fake.endpoint,
    SERVICE_CONFIG__tracker__linear__apiKey: fake.apiKey,
  });
  const config = await world.deps.config.load();
  const settings = linearSettingsOf(() => config, world.deps.resolveSecret);
  const { tracker } = connectLinear({ ...world.deps, settings });
  world.deps.trackers = new Map([...world.deps.trackers, ['linear', tracker]]);
  // The world's clock is the fake's too: changes are compared with it.
  fake.world.nowMs = () => world.clock.nowMs();
});
afterEach(async () => {
  await world.close();
  await fake.close();
});

function add(title: string) {
  const stateId = fake.world.stateNamed('Todo').id;
  return fake.world.add({ title, stateId }, fake.world.ada);
}
/** Lets half an hour pass, poll by poll, and gives the requests it cost. */
async function halfAnHour(between: () => Promise<unknown> = async () => null): Promise<number> {
  fake.requests.length = 0;
  for (let atMs = 0; atMs < 1_800_000; atMs += POLL_MS) {
    await between();
    await world.pass(POLL_MS);
  }
  return fake.requests.length;
}

describe('polling Linear', () => {
  it('asks for changes at each poll and for everything every 10 minutes', async () => {
    for (let at = 0; at < ACTIVE; at += 1) add(`Issue ${at}`);
    // Fresh changes are read again for two minutes: here is measured what comes after.
    await world.pass(180_000);
    expect(fake.requests).toHaveLength(PAGES);
    // 120 polls, of which 3 read all pages.
    const polls = await halfAnHour();
    expect(polls).toBeGreaterThan(110);
    expect(polls).toBeLessThanOrEqual(117 + 3 * PAGES);
    const webhooks = await halfAnHour(() =>
      sendTrackerDelivery(world, `d-${world.clock.nowMs()}`, { data: { id: 'unknown' } }),
    );
    // A poll every 2 minutes while deliveries come.
    expect(webhooks).toBeLessThanOrEqual(16 + 3 * PAGES);
  }, 120_000);

  it('sees a change and a new issue with the next poll', async () => {
    const { id } = add('First');
    await world.tick();
    world.clock.advance(1_000);
    fake.world.change(id, { title: 'Renamed' }, fake.world.ada);
    add('Second');
    await world.pass(POLL_MS);
    expect(await world.issue('ENG-1')).toMatchObject({ title: 'Renamed' });
    expect(await world.issue('ENG-2')).toMatchObject({ title: 'Second', tracker: 'linear' });
  });

  it('keeps everything while Linear asks to be left alone, and waits as long as that', async () => {
    add('Stays');
    await world.tick();
    const headers = { 'retry-after': '100' };
    fake.fail({ kind: 'status', status: 429, body: refusal('RATELIMITED'), headers });
    await world.pass(POLL_MS);
    const dueAtMs = world.clock.nowMs() + 100_000;
    expect(await timerDueAtMs(world.deps.db, 'poll')).toBe(dueAtMs);
    expect(await world.issue('ENG-1')).toMatchObject({ title: 'Stays' });
  });
});
