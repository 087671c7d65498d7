import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import {
  WEBHOOK_VARIABLES,
  sendCodehostDelivery,
  sendTo,
  sendTrackerDelivery,
  sign,
} from '../../../../test/support/core/signed-deliveries.ts';
import { eventsAfter } from '../../observe/events/queries.ts';
import { webhookDeliveries } from '../../db/schema/operation/webhook-deliveries.ts';

let world: CoreWorld;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer, WEBHOOK_VARIABLES);
});
afterEach(() => world.close());

const stored = () => world.deps.db.select().from(webhookDeliveries);

describe('receivers of deliveries', () => {
  it('stores a delivery before it answers, and knows it when it comes again', async () => {
    const wakes = world.core.wakes();
    expect(await sendTrackerDelivery(world, 'd-1')).toMatchObject({
      status: 200,
      body: { duplicate: false },
    });
    expect(world.core.wakes()).toBe(wakes + 1);
    expect(await sendTrackerDelivery(world, 'd-1')).toMatchObject({
      status: 200,
      body: { duplicate: true },
    });
    expect(await sendCodehostDelivery(world, 'd-1')).toMatchObject({ body: { duplicate: false } });
    expect(await stored()).toMatchObject([
      { provider: 'tracker', delivery_id: 'd-1', event: 'Issue.update', status: 'pending' },
      { provider: 'codehost', delivery_id: 'd-1', event: 'pull_request.closed' },
    ]);
    const metrics = await world.deps.metrics.render();
    expect(metrics).toContain(
      'service_webhook_deliveries_total{provider="tracker",status="accepted"} 1',
    );
    expect(metrics).toContain('service_webhook_duplicates_total{provider="tracker"} 1');
  });

  it('refuses what is not signed, wrongly signed, stale or changed on the way', async () => {
    const body = JSON.stringify({ type: 'Issue', webhookTimestamp: world.clock.nowMs() });
    const hex = await sign(body);
    const send = async (headers: Record<string, string>, text = body) =>
      (
        await sendTo(world, '/webhooks/tracker', {
          headers: { 'Linear-Delivery': 'd', ...headers },
          body: text,
        })
      ).status;
    expect(await send({})).toBe(401);
    expect(await send({ 'Linear-Signature': '' })).toBe(401);
    expect(await send({ 'Linear-Signature': 'zz' })).toBe(401);
    expect(await send({ 'Linear-Signature': hex.replace(/./, 'x') })).toBe(401);
    expect(await send({ 'Linear-Signature': await sign(body, 'other') })).toBe(401);
    expect(await send({ 'Linear-Signature': hex }, `${body} `)).toBe(401);
    expect(
      (await sendTrackerDelivery(world, 'd', { atMs: world.clock.nowMs() - 60_001 })).status,
    ).toBe(401);
    expect(
      (await sendTrackerDelivery(world, 'd', { atMs: world.clock.nowMs() + 60_001 })).status,
    ).toBe(401);
    const codehost = (signature: string) =>
      sendTo(world, '/webhooks/codehost', {
        headers: {
          'X-Hub-Signature-256': signature,
          'X-GitHub-Event': 'push',
          'X-GitHub-Delivery': 'd',
        },
        body,
      });
    for (const signature of [hex, `sha1=${hex}`, 'sha256=', `sha256=${hex}0`]) {
      expect(await codehost(signature)).toMatchObject({
        status: 401,
        body: { code: 'invalid_signature' },
      });
    }
    expect(await stored()).toEqual([]);
    expect((await codehost(`sha256=${hex}`)).status).toBe(200);
  });

  it('refuses a signed body that is no delivery', async () => {
    for (const body of ['not json', '[]', '{}', '{"type":"Issue","webhookTimestamp":"soon"}']) {
      const headers = { 'Linear-Signature': await sign(body), 'Linear-Delivery': 'd' };
      const { status } = await sendTo(world, '/webhooks/tracker', { headers, body });
      expect(status, body).toBe(400);
    }
    expect((await sendTrackerDelivery(world, '')).status).toBe(400);
    expect((await sendTrackerDelivery(world, 'a b')).status).toBe(400);
    expect((await sendCodehostDelivery(world, 'd', '')).status).toBe(400);
    const junk = 'x'.repeat(1_048_577);
    expect((await sendTo(world, '/webhooks/tracker', { body: junk })).status).toBe(413);
    expect(
      (
        await sendTo(world, '/webhooks/tracker', {
          headers: { 'Content-Type': 'text/plain' },
          body: 'x',
        })
      ).status,
    ).toBe(415);
    expect(await stored()).toEqual([]);
  });

  it('refuses a megabyte of junk, signed or not, and keeps nothing of it', async () => {
    const junk = 'x'.repeat(1_048_576);
    const send = (signature: string) =>
      sendTo(world, '/webhooks/tracker', {
        headers: { 'Linear-Signature': signature, 'Linear-Delivery': 'd' },
        body: junk,
      });
    expect((await send('0'.repeat(64))).status).toBe(401);
    expect((await send(await sign(junk))).status).toBe(400);
    expect(await stored()).toEqual([]);
  });

  it('refuses a body that was changed after it was signed, whichever byte', async () => {
    const body = JSON.stringify({ action: 'closed', number: 12 });
    const signature = `sha256=${await sign(body)}`;
    for (const changed of [body.replace('12', '13'), `${body}\n`, body.slice(0, -1), '']) {
      const headers = {
        'X-Hub-Signature-256': signature,
        'X-GitHub-Event': 'pull_request',
        'X-GitHub-Delivery': 'd',
      };
      const { status } = await sendTo(world, '/webhooks/codehost', { headers, body: changed });
      expect(status, changed).toBe(401);
    }
    expect(await stored()).toEqual([]);
  });

  it('refuses a delivery that is sent again when it is stale, although it was signed', async () => {
    const atMs = world.clock.nowMs();
    expect((await sendTrackerDelivery(world, 'd-1', { atMs })).status).toBe(200);
    world.clock.advance(60_001);
    expect(await sendTrackerDelivery(world, 'd-1', { atMs })).toMatchObject({
      status: 401,
      body: { error: 'the delivery is stale' },
    });
    expect(await stored()).toHaveLength(1);
  });

  it('tells the new ones from the repeated among many that come at once', async () => {
    await sendTrackerDelivery(world, 'd-0');
    const ids = ['d-0', 'd-1', 'd-2', 'd-2', 'd-3', 'd-1', 'd-4'];
    const answers = await Promise.all(ids.map((id) => sendTrackerDelivery(world, id)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const fresh = ids.filter((_id, index) => answers[index]?.body['duplicate'] === false);
    expect(fresh.toSorted()).toEqual(['d-1', 'd-2', 'd-3', 'd-4']);
    expect((await stored()).map((row) => row.delivery_id).toSorted()).toEqual([
      'd-0',
      'd-1',
      'd-2',
      'd-3',
      'd-4',
    ]);
    const { events } = await eventsAfter(world.deps.db, 0);
    const received = events.filter(({ type }) => type === 'webhook.received');
    expect(received.map(({ data }) => String(data['deliveryId'])).toSorted()).toEqual([
      'd-0',
      'd-1',
      'd-2',
      'd-3',
      'd-4',
    ]);
  });

  it('lets one that is refused hold up nobody', async () => {
    const bad = sendTo(world, '/webhooks/tracker', { body: '{}' });
    const good = ['d-1', 'd-2', 'd-3'].map((id) => sendTrackerDelivery(world, id));
    expect((await bad).status).toBe(401);
    for (const answer of await Promise.all(good)) expect(answer.body).toEqual({ duplicate: false });
  });

  it('answers 503 while no secret is set', async () => {
    await world.restart({});
    expect(await sendTrackerDelivery(world, 'd')).toMatchObject({
      status: 503,
      body: { code: 'not_configured' },
    });
    await world.restart({ SERVICE_CONFIG__webhook__codehostSecret: 'whsec-test' });
    expect((await sendTrackerDelivery(world, 'd')).status).toBe(503);
    expect((await sendCodehostDelivery(world, 'd')).status).toBe(200);
  });

  it('tells a sender to come again when it cannot store', async () => {
    world.failDatabase('everything');
    expect((await sendTrackerDelivery(world, 'd')).status).toBe(500);
    world.failDatabase('none');
    expect((await sendTrackerDelivery(world, 'd')).body).toEqual({ duplicate: false });
  });
});
