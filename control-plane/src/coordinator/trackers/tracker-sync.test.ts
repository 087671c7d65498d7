import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import {
  WEBHOOK_VARIABLES,
  sendTrackerDelivery,
} from '../../../../test/support/core/signed-deliveries.ts';
import {
  type FakeLinear,
  refusal,
  startFakeLinear,
} from '../../../../test/support/linear/fake-linear.ts';
import { linearSettingsOf } from '../../integrations/linear/linear-settings-of.ts';
import { connectLinear } from '../../integrations/linear/connect-linear.ts';
import { judgeHealth } from '../../admin/observability/decide.ts';
import { readHealthFacts } from '../../admin/observability/read-health-facts.ts';
import { pollForAnHour } from '../../../../test/support/linear/poll-for-an-hour.ts';
import { type Tracker, TrackerError } from '../../ports/tracker/tracker.ts';
import { timerDueAtMs } from '../../jobs/queue/set-timer.ts';

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
  fake.world.time = () => world.clock.nowMs();
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

function operations(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { operation } of fake.requests) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}
const trackerHealth = async () =>
  judgeHealth(await readHealthFacts(world.deps)).find(({ name }) => name === 'tracker');

describe('polling Linear', () => {
  it('asks for changes and words at each poll and for everything every 10 minutes', async () => {
    for (let at = 0; at < ACTIVE; at += 1) add(`Issue ${at}`);
    // Fresh changes are read again for two minutes: here is measured what comes after.
    await world.pass(180_000);
    expect(operations()).toEqual({
      IssueProbes: PAGES,
      BlockedIssues: 1,
      Issues: PAGES,
      NewComments: 1,
    });
    // 120 polls, of which 3 look at all, and at no details as nothing changed.
    const polls = await halfAnHour();
    expect(operations()).toEqual({
      IssueProbes: 117 + 3 * PAGES,
      BlockedIssues: 3,
      NewComments: 120,
    });
    expect(polls).toBe(117 + 3 * PAGES + 3 + 120);
    const webhooks = await halfAnHour(() =>
      sendTrackerDelivery(world, `d-${world.clock.nowMs()}`, { data: { id: 'unknown' } }),
    );
    // A poll every 2 minutes while deliveries come.
    expect(webhooks).toBeLessThanOrEqual(2 * 16 + 3 * (PAGES + 1));
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

  it('sees what blocks an issue, and a blocker that ends, without a change of the issue', async () => {
    const [blocker, blocked] = [add('Blocker'), add('Blocked')];
    fake.world.change(blocker.id, { stateId: fake.world.stateNamed('Backlog').id }, fake.world.ada);
    await world.pass(180_000);
    blocked.blockedBy = [blocker.id];
    await world.pass(POLL_MS);
    expect((await world.issue('ENG-2')).blocked_by).toEqual([]);
    await world.pass(600_000);
    expect(await world.issue('ENG-2')).toMatchObject({
      blocked_by: [{ identifier: 'ENG-1', state: 'Backlog' }],
      dispatchable: false,
    });
    const done = fake.world.stateNamed('Done').id;
    fake.world.change(blocker.id, { stateId: done }, fake.world.ada);
    await world.pass(POLL_MS);
    expect(await world.issue('ENG-2')).toMatchObject({
      blocked_by: [{ identifier: 'ENG-1', terminal: true }],
      dispatchable: true,
    });
  });

  it('stretches with what is left of the allowance, and says so in the health', async () => {
    add('First');
    await world.tick();
    expect(await trackerHealth()).toMatchObject({ status: 'ok' });
    expect((await trackerHealth())?.message).toContain('100 % of its hourly allowance is left');
    fake.allowance.leave(12_500);
    await world.pass(POLL_MS);
    const waitMs = (await timerDueAtMs(world.deps.db, 'poll')) - world.clock.nowMs();
    expect(waitMs).toBeGreaterThan(8 * POLL_MS);
    expect(waitMs).toBeLessThan(11 * POLL_MS);
    const health = await trackerHealth();
    expect(health?.status).toBe('degraded');
    expect(health?.message).toMatch(/5 % of its hourly .* asked every \d+ s instead of 15 s/);
    // The allowance fills again, and the interval becomes what it was.
    await world.pass(1_800_000);
    expect((await timerDueAtMs(world.deps.db, 'poll')) - world.clock.nowMs()).toBe(POLL_MS);
  });

  it('does not look at everything again because the words of people are refused', async () => {
    const linear = world.deps.trackers.get('linear') as Tracker;
    linear.newComments = () => Promise.reject(new TrackerError('rate_limited', 'too many'));
    add('First');
    await world.pass(180_000);
    fake.requests.length = 0;
    await world.pass(POLL_MS);
    expect(operations()).toEqual({ IssueProbes: 1 });
    expect(await world.issue('ENG-1')).toMatchObject({ title: 'First' });
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

it('an hour of polling alone with 230 issues costs far less than the allowance', async () => {
  const hour = await pollForAnHour(230);
  expect(hour).toMatchObject({ refused: 0, missed: 0 });
  expect(hour.points).toBeLessThan(100_000);
  expect(hour.requests).toBeLessThan(1_500);
}, 120_000);
