import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import { WEBHOOK_VARIABLES, sendTo } from '../../../../test/support/core/signed-deliveries.ts';
import { timerDueAtMs } from '../../jobs/queue/set-timer.ts';
import { audit } from '../../db/schema/operation/audit.ts';
import { webhookDeliveries } from '../../db/schema/operation/webhook-deliveries.ts';
import { AppError } from '../../errors.ts';

let world: CoreWorld;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer, {
    ...WEBHOOK_VARIABLES,
    SERVICE_CONFIG__automations: JSON.stringify([
      { name: 'nightly', schedule: '0 3 * * *', mode: 'report', prompt: 'Look around.' },
    ]),
  });
});
afterEach(() => world.close());

const trigger = (body: unknown, headers: Record<string, string> = {}) =>
  sendTo(world, '/api/v1/webhooks/trigger', {
    headers: { 'X-Service-Trigger-Key': 'trigger-key', ...headers },
    body: JSON.stringify(body),
  });
const deliveries = () => world.deps.db.select().from(webhookDeliveries);

describe('POST /api/v1/webhooks/trigger', () => {
  it('asks for its key and nothing else', async () => {
    for (const key of ['', 'wrong', 'trigger-key2']) {
      const answer = await trigger({ action: 'nothing' }, { 'X-Service-Trigger-Key': key });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).not.toBeNull();
    }
    const withToken = { 'X-Service-Trigger-Key': '', Authorization: 'Bearer write-secret' };
    expect((await trigger({ action: 're_poll' }, withToken)).status).toBe(401);
    await world.restart({});
    expect((await trigger({ action: 're_poll' })).status).toBe(503);
  });

  it('creates an issue once per Idempotency-Key and answers the same each time', async () => {
    const request = { action: 'create_issue', title: 'From outside', labels: ['bug'], priority: 2 };
    const first = await trigger(request, { 'Idempotency-Key': 'k-1' });
    expect(first).toMatchObject({
      status: 202,
      body: { ok: true, action: 'create_issue', deliveryId: 'k-1', duplicate: false },
    });
    world.clock.advance(5_000);
    const again = await trigger(request, { 'Idempotency-Key': 'k-1' });
    expect(again).toMatchObject({ status: 202 });
    expect(again.body).toEqual({ ...first.body, duplicate: true });
    await world.tick();
    await world.tick();
    expect(await world.issue('SY-1')).toMatchObject({ title: 'From outside' });
    await expect(world.issue('SY-2')).rejects.toThrow();
    expect((await trigger({ action: 're_poll' }, { 'Idempotency-Key': 'k-1' })).status).toBe(409);
    expect(await world.deps.db.select().from(audit)).toContainEqual(
      expect.objectContaining({ operation: 'trigger.create_issue', actor: 'trigger' }),
    );
  });

  it('has the tracker polled', async () => {
    const identifier = await world.createIssue();
    await world.tick();
    world.clock.advance(1_000);
    for (const request of [{ action: 're_poll' }, { action: 'refresh_issue', identifier }]) {
      expect((await trigger(request)).status).toBe(202);
      await world.tick();
      const dueAtMs = await timerDueAtMs(world.deps.db, 'poll');
      expect(dueAtMs).toBe(world.clock.nowMs() + 15_000);
      world.clock.advance(1_000);
    }
  });

  it('runs an automation, and keeps what cannot run as a dead letter', async () => {
    const ran: unknown[] = [];
    let isRunning = false;
    const request = { action: 'run_automation', automation_name: 'nightly' };
    world.deps.runAutomation = async (name, caller) => {
      if (isRunning) throw new AppError('conflict', 'it runs already');
      ran.push([name, caller.actor]);
    };
    expect((await trigger(request)).status).toBe(202);
    await world.tick();
    expect(ran).toEqual([['nightly', 'trigger']]);
    isRunning = true;
    expect((await trigger(request)).status).toBe(202);
    await world.tick();
    expect(await deliveries()).toMatchObject([
      { status: 'processed' },
      { status: 'dead', last_error: 'it runs already' },
    ]);
  });

  it('refuses what it cannot do before it stores anything', async () => {
    const refused: [unknown, number][] = [
      [{ action: 'refresh_issue', identifier: 'SY-99' }, 404],
      [{ action: 'refresh_issue', identifier: '../x' }, 400],
      [{ action: 'run_automation', automation_name: 'none' }, 404],
      [{ action: 'create_issue' }, 400],
      [{ action: 'create_issue', title: 'x', extra: 1 }, 400],
      [{ action: 'drop_database' }, 400],
      [[], 400],
    ];
    for (const [request, status] of refused) {
      expect((await trigger(request)).status, JSON.stringify(request)).toBe(status);
    }
    expect((await trigger({ action: 're_poll' }, { 'Idempotency-Key': 'a b' })).status).toBe(400);
    expect(await deliveries()).toEqual([]);
  });
});
