import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../test/support/core/runner-peers.ts';
import {
  WEBHOOK_VARIABLES,
  sendCodehostDelivery,
  sendTrackerDelivery,
} from '../../../test/support/core/signed-deliveries.ts';
import { timerDueAtMs } from '../jobs/queue/set-timer.ts';
import { counters } from '../db/schema/operation/events.ts';
import { webhookDeliveries } from '../db/schema/operation/webhook-deliveries.ts';
import type { DeliveryHandler, StoredDelivery } from '../ports/ports.ts';

const LOCAL = { remoteAddress: '127.0.0.1' };
let world: CoreWorld;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer, WEBHOOK_VARIABLES);
});
afterEach(() => world.close());

const stored = () => world.deps.db.select().from(webhookDeliveries);

function listen(handle: DeliveryHandler['handle'], more: Partial<DeliveryHandler> = {}): void {
  world.deps.deliveryHandlers = new Map([['tracker', { handle, ...more }]]);
}

async function call(method: string, path: string) {
  const response = await world.core.app.request(path, { method }, LOCAL);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('processing of deliveries', () => {
  it('ignores what nothing listens to, and never looks at it again', async () => {
    await sendTrackerDelivery(world, 'd-1');
    await sendCodehostDelivery(world, 'd-2');
    await world.tick();
    expect(await stored()).toMatchObject([
      { status: 'processed', outcome: 'ignored' },
      { status: 'processed', outcome: 'ignored' },
    ]);
    expect(await world.deps.metrics.render()).toContain(
      'service_webhook_events_processed_total{provider="codehost",outcome="ignored"} 1',
    );
  });

  it("commits a handler's changes with the end of the delivery, once", async () => {
    const seen: StoredDelivery[] = [];
    listen(async (delivery) => {
      seen.push(delivery);
      const row = { name: delivery.deliveryId, value: 1 };
      return { outcome: 'processed', statements: [world.deps.db.insert(counters).values(row)] };
    });
    await sendTrackerDelivery(world, 'd-1', { data: { text: 'SWITCHYARD_STATUS: DONE' } });
    await world.tick();
    await world.tick();
    expect(seen).toMatchObject([{ deliveryId: 'd-1', event: 'Issue.update', tries: 0 }]);
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
      data: { text: 'SWITCHYARD_STATUS: DONE' },
    });
    const rows = await world.deps.db.select().from(counters);
    expect(rows).toContainEqual({ name: 'd-1', value: 1 });
    expect(await stored()).toMatchObject([{ status: 'processed', outcome: 'processed' }]);
  });

  it('tries five times, then keeps a dead letter that a person can replay', async () => {
    let isBroken = true;
    let tries = 0;
    listen(async () => {
      tries += 1;
      if (isBroken) throw new Error('the tracker is down');
      return { outcome: 'processed' };
    });
    await sendTrackerDelivery(world, 'd-1');
    await world.tick();
    expect(await stored()).toMatchObject([{ status: 'pending', tries: 1 }]);
    await world.tick();
    expect(tries).toBe(1);
    for (const ms of [1_000, 10_000, 60_000, 300_000]) await world.pass(ms);
    expect(tries).toBe(5);
    await world.pass(86_400_000);
    expect(tries).toBe(5);

    const list = await call('GET', '/api/v1/webhooks/dead');
    const letter = { id: 1, event: 'Issue.update', tries: 5, error: 'the tracker is down' };
    expect(list.body).toMatchObject({ total: 1, nextCursor: null, deliveries: [letter] });
    const { body } = await call('GET', '/api/v1/webhooks/dead/1');
    expect(body).toMatchObject({ ...letter, payload: { action: 'update', data: { id: 'x' } } });

    isBroken = false;
    expect((await call('POST', '/api/v1/webhooks/dead/1/replay')).status).toBe(202);
    await world.tick();
    expect(await stored()).toMatchObject([{ status: 'processed', outcome: 'processed' }]);
    expect((await call('POST', '/api/v1/webhooks/dead/1/replay')).status).toBe(409);
    expect((await call('GET', '/api/v1/webhooks/dead/1')).body).toMatchObject({
      status: 'processed',
    });
    const metrics = await world.deps.metrics.render();
    expect(metrics).toContain('service_webhook_dlq_total{reason="exhausted"} 1');
    expect(metrics).toContain(
      'service_webhook_processor_retries_total{provider="tracker",reason="error"} 4',
    );
  });

  it('names what it does not know', async () => {
    for (const id of ['7', '0', 'x', '-1', '99999999999999999']) {
      expect((await call('GET', `/api/v1/webhooks/dead/${id}`)).status).toBe(404);
      expect((await call('POST', `/api/v1/webhooks/dead/${id}/replay`)).status).toBe(404);
    }
    expect((await call('GET', '/api/v1/webhooks/dead?cursor=x')).status).toBe(400);
    expect((await call('GET', '/api/v1/webhooks/dead?limit=501')).status).toBe(400);
  });

  it('pages through dead letters', async () => {
    listen(async () => ({ outcome: 'refused', reason: 'unusable' }));
    for (const id of ['a', 'b', 'c']) await sendTrackerDelivery(world, id);
    await world.tick();
    const first = await call('GET', '/api/v1/webhooks/dead?limit=2');
    expect(first.body).toMatchObject({ total: 3, deliveries: [{ id: 3 }, { id: 2 }] });
    const cursor = String(first.body['nextCursor']);
    const second = await call('GET', `/api/v1/webhooks/dead?limit=2&cursor=${cursor}`);
    expect(second.body).toMatchObject({ total: 3, deliveries: [{ id: 1 }], nextCursor: null });
    const other = await call('GET', '/api/v1/webhooks/dead?provider=codehost');
    expect(other.body).toMatchObject({ total: 0, deliveries: [] });
  });

  it('waits as long as the other side wants, and lets one failure hold up nothing', async () => {
    const done: string[] = [];
    listen(async ({ deliveryId }) => {
      if (deliveryId === 'bad') {
        throw Object.assign(new Error('slow down'), { retryAtMs: world.clock.nowMs() + 120_000 });
      }
      done.push(deliveryId);
      return { outcome: 'processed' };
    });
    await sendTrackerDelivery(world, 'bad');
    await sendTrackerDelivery(world, 'good');
    await world.tick();
    expect(done).toEqual(['good']);
    await world.pass(119_000);
    expect((await stored())[0]).toMatchObject({ tries: 1 });
    await world.pass(1_000);
    expect((await stored())[0]).toMatchObject({ tries: 2 });
  });
});

describe('polling beside deliveries', () => {
  const interval = async () => (await timerDueAtMs(world.deps.db, 'poll')) - world.clock.nowMs();

  it('stretches while they arrive and comes back when they stop', async () => {
    await world.tick();
    expect(await interval()).toBe(15_000);
    await sendTrackerDelivery(world, 'd-1');
    await world.pass(15_000);
    expect(await interval()).toBe(120_000);
    const health = await call('GET', '/api/v1/webhooks');
    expect(health.body).toMatchObject({ polling: { intervalMs: 120_000, stretched: true } });
    await world.pass(120_000);
    await world.pass(120_000);
    // 45 s are left of the quiet time; one base interval later is the first unstretched poll.
    expect(await interval()).toBe(60_000);
    await world.pass(60_000);
    expect(await interval()).toBe(15_000);
    const quiet = await call('GET', '/api/v1/webhooks');
    expect(quiet.body).toMatchObject({ polling: { intervalMs: 15_000, stretched: false } });
  });

  it('stays short while the subscription is gone or processing does not keep up', async () => {
    let answer: 'ok' | 'missing' = 'missing';
    listen(async () => ({ outcome: 'processed' }), { checkSubscription: async () => answer });
    await sendTrackerDelivery(world, 'd-1');
    await world.tick();
    expect(await interval()).toBe(15_000);
    answer = 'ok';
    await world.pass(299_000);
    await sendTrackerDelivery(world, 'd-2');
    await world.pass(1_000);
    expect(await world.deps.metrics.render()).toContain(
      'service_webhook_subscription_checks_total{provider="tracker",status="ok"} 1',
    );
    await world.pass(15_000);
    expect(await interval()).toBe(120_000);
  });
});

describe('a burst', () => {
  it('loses nothing, doubles nothing, and survives a start in between', async () => {
    const seen = new Map<string, number>();
    const count: DeliveryHandler['handle'] = async ({ deliveryId }) => {
      seen.set(deliveryId, (seen.get(deliveryId) ?? 0) + 1);
      return { outcome: 'processed' };
    };
    listen(count);
    const ids = Array.from({ length: 400 }, (_, index) => `d-${index % 300}`);
    const answers = await Promise.all(ids.map((id) => sendTrackerDelivery(world, id)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(answers.filter(({ body }) => body['duplicate'] === false)).toHaveLength(300);
    await world.restart();
    listen(count);
    for (let run = 0; run < 20 && seen.size < 300; run += 1) await world.tick();
    await world.tick();
    expect(seen.size).toBe(300);
    expect([...seen.values()].every((times) => times === 1)).toBe(true);
    expect((await stored()).every(({ status }) => status === 'processed')).toBe(true);
  });
});
