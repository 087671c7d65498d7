import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../test/support/core/runner-peers.ts';
import { WEBHOOK_VARIABLES, sendTo, sign } from '../../../test/support/core/signed-deliveries.ts';
import { webhookBody } from '../../../test/support/linear/deliver-webhook.ts';
import {
  type FakeLinear,
  refusal,
  startFakeLinear,
} from '../../../test/support/linear/fake-linear.ts';
import type { FakeEvent, FakeIssue } from '../../../test/support/linear/linear-rows.ts';
import { issues } from '../db/schema/work/issues.ts';
import { transitions } from '../db/schema/work/transitions.ts';
import { webhookDeliveries } from '../db/schema/operation/webhook-deliveries.ts';
import { linearSettingsOf } from '../integrations/linear/linear-settings-of.ts';
import { connectLinear } from '../integrations/linear/connect-linear.ts';
import { linearHandlers } from '../../../test/support/linear/linear-handlers.ts';

let world: CoreWorld;
let fake: FakeLinear;
let number = 0;

beforeEach(async () => {
  fake = await startFakeLinear();
  await open({});
});
afterEach(async () => {
  await world.close();
  await fake.close();
});

async function open(variables: Record<string, string>): Promise<void> {
  world = await createCoreWorld(openFramePeer, {
    ...WEBHOOK_VARIABLES,
    SERVICE_CONFIG__tracker__kind: 'linear',
    SERVICE_CONFIG__tracker__linear__endpoint: fake.endpoint,
    SERVICE_CONFIG__tracker__linear__apiKey: fake.apiKey,
    ...variables,
  });
  const config = await world.deps.config.load();
  const settings = linearSettingsOf(() => config, world.deps.resolveSecret);
  const linear = connectLinear({ ...world.deps, settings });
  world.deps.trackers = new Map([...world.deps.trackers, ['linear', linear.tracker]]);
  world.deps.deliveryHandlers = linearHandlers(world.deps, linear);
  // The first poll is over, so that only deliveries tell of anything.
  await world.tick();
  fake.requests.length = 0;
}

function add(title: string): FakeIssue {
  const stateId = fake.world.stateNamed('Todo').id;
  return fake.world.add({ title, stateId }, fake.world.ada);
}

async function deliver(event: FakeEvent | string, id = `d-${(number += 1)}`): Promise<unknown> {
  const body =
    typeof event === 'string' ? event : webhookBody(fake.world, event, 'hook', world.clock.nowMs());
  const headers = { 'Linear-Signature': await sign(body), 'Linear-Delivery': id };
  return (await sendTo(world, '/webhooks/tracker', { headers, body })).body;
}
const lastEvent = (): FakeEvent => structuredClone(fake.events.at(-1)!);
const indexed = () => world.deps.db.select().from(issues);
const deliveries = () => world.deps.db.select().from(webhookDeliveries);

describe("Linear's deliveries about issues", () => {
  it('bring an issue into the index, once, whatever order they come in', async () => {
    const { id } = add('New');
    const created = lastEvent();
    fake.world.change(id, { stateId: fake.world.stateNamed('In Progress').id }, fake.world.ada);
    const moved = lastEvent();
    expect(await deliver(moved, 'same')).toEqual({ duplicate: false });
    expect(await deliver(moved, 'same')).toEqual({ duplicate: true });
    await world.tick();
    await deliver(created);
    await world.tick();
    expect(await indexed()).toMatchObject([{ id, tracker: 'linear', state: 'In Progress' }]);
    expect(await deliveries()).toMatchObject([{ status: 'processed' }, { status: 'processed' }]);
    expect(await world.deps.db.select().from(transitions)).toEqual([]);
  });

  it('log a move that a person made', async () => {
    const { id } = add('Moves');
    await deliver(lastEvent());
    await world.tick();
    fake.world.change(id, { stateId: fake.world.stateNamed('Done').id }, fake.world.ada);
    await deliver(lastEvent());
    await world.tick();
    expect(await world.deps.db.select().from(transitions)).toMatchObject([
      { from_state: 'Todo', to_state: 'Done', actor: 'tracker' },
    ]);
  });

  it('cost one request together, and nothing where the issue is gone', async () => {
    const [gone] = Array.from({ length: 6 }, (_, at) => add(`Issue ${at}`));
    const events = fake.events.slice(-6).map((event) => structuredClone(event));
    fake.world.issues.delete(gone?.id ?? '');
    for (const event of events) await deliver(event);
    await world.tick();
    expect(await indexed()).toHaveLength(5);
    expect(fake.requests.map(({ operation }) => operation)).toEqual(['Issues']);
    expect((await deliveries()).every(({ status }) => status === 'processed')).toBe(true);
  });

  it('wait as long as Linear asks, and lose nothing', async () => {
    add('Later');
    await deliver(lastEvent());
    const headers = { 'retry-after': '40' };
    fake.fail({ kind: 'status', status: 429, body: refusal('RATELIMITED'), headers });
    await world.tick();
    const [waiting] = await deliveries();
    expect(waiting?.next_try_at_ms).toBe(world.clock.nowMs() + 40_000);
    await world.pass(39_000);
    expect(fake.requests).toHaveLength(1);
    await world.pass(1_000);
    expect(await indexed()).toMatchObject([{ title: 'Later' }]);
  });

  it('are dead letters when they make no sense, and ignored when they are of no concern', async () => {
    const webhookTimestamp = world.clock.nowMs();
    await deliver(JSON.stringify({ type: 'Issue', action: 'update', webhookTimestamp }));
    await deliver(JSON.stringify({ type: 'Reaction', action: 'create', webhookTimestamp }));
    await world.tick();
    expect(await deliveries()).toMatchObject([
      { status: 'dead' },
      { status: 'processed', outcome: 'ignored' },
    ]);
  });
});

describe("Linear's deliveries about comments", () => {
  async function blockedIssue(): Promise<FakeIssue> {
    const issue = add('Waits');
    await deliver(lastEvent());
    await world.tick();
    await world.deps.db
      .update(issues)
      .set({ status: 'blocked', reason: 'needs a person' })
      .where(eq(issues.id, issue.id));
    return issue;
  }
  const reason = async () => (await indexed())[0]?.reason;

  it('wake a blocked issue by a person, not by ourselves', async () => {
    const { id, number: at } = await blockedIssue();
    await world.deps.trackers.get('linear')?.upsertComment(id, 'status', 'blocked');
    await deliver(lastEvent());
    await world.tick();
    expect(await reason()).toBe('needs a person');
    fake.world.say(id, 'Use the other one', fake.world.ada);
    await deliver(lastEvent());
    await world.tick();
    expect(await world.issue(`ENG-${at}`)).not.toMatchObject({ status: 'blocked' });
  });

  it('wake nothing by somebody who is not allowed to', async () => {
    await world.close();
    await open({ SERVICE_CONFIG__tracker__allowedAuthors: '["bob@example.com"]' });
    const { id } = await blockedIssue();
    fake.world.say(id, 'Do it', fake.world.ada);
    await deliver(lastEvent());
    await world.tick();
    expect(await indexed()).toMatchObject([{ status: 'blocked' }]);
    expect((await deliveries()).at(-1)).toMatchObject({ outcome: 'ignored' });
  });

  it('wake nothing by somebody who took the address of one who may as a name', async () => {
    await world.close();
    await open({ SERVICE_CONFIG__tracker__allowedAuthors: '["bob@example.com"]' });
    const { id } = await blockedIssue();
    fake.world.say(id, 'Do it', { ...fake.world.ada, name: 'bob@example.com' });
    await deliver(lastEvent());
    await world.tick();
    expect(await indexed()).toMatchObject([{ status: 'blocked' }]);
  });

  it('about an unknown issue are harmless', async () => {
    const { id } = add('Nobody told us');
    fake.world.say(id, 'Hello', fake.world.ada);
    await deliver(lastEvent());
    await world.tick();
    expect(await indexed()).toEqual([]);
    expect(await deliveries()).toMatchObject([{ status: 'processed' }]);
  });
});
