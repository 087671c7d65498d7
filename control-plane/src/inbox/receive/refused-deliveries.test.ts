import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookHealth } from '@switchyard/shared/api/admin/webhook';
import { like } from 'drizzle-orm';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import {
  WEBHOOK_VARIABLES,
  sendCodehostDelivery,
  sendTo,
  sign,
} from '../../../../test/support/core/signed-deliveries.ts';
import { facts } from '../../db/schema/admin/config.ts';
import { judgeHealth } from '../../admin/observability/decide.ts';
import { readHealthFacts } from '../../admin/observability/read-health-facts.ts';

const FORM = 'application/x-www-form-urlencoded';

let world: CoreWorld;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer, {
    ...WEBHOOK_VARIABLES,
    SERVICE_CONFIG__triggers__apiKey: 'trigger-key-1234',
  });
});
afterEach(() => world.close());

/** What GitHub sends while its webhook has the content type that it offers first. */
async function sendForm(): Promise<number> {
  const body = `payload=${encodeURIComponent('{"action":"opened"}')}`;
  const headers = {
    'Content-Type': FORM,
    'X-GitHub-Event': 'pull_request',
    'X-GitHub-Delivery': 'd-1',
    'X-Hub-Signature-256': `sha256=${await sign(body)}`,
  };
  const { status } = await sendTo(world, '/webhooks/codehost', { headers, body });
  await world.core.background.settled();
  return status;
}
async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { Host: 'localhost', 'Content-Type': 'application/json' };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const local = { remoteAddress: '127.0.0.1' };
  return (await (await world.core.app.request(`/api/v1${path}`, init, local)).json()) as T;
}
const refusals = async () => (await ask<WebhookHealth>('GET', '/webhooks')).refusals;
const counted = async () =>
  (await world.deps.metrics.render())
    .split('\n')
    .filter((line) => line.startsWith('service_webhook_deliveries_total{'));
const signal = async (provider: string) =>
  judgeHealth(await readHealthFacts(world.deps)).find(
    ({ name }) => name === `webhooks ${provider}`,
  );

describe('deliveries that are refused', () => {
  it('are counted and shown with what to do, where the content type is the wrong one', async () => {
    expect(await sendForm()).toBe(415);
    expect(await counted()).toEqual([
      'service_webhook_deliveries_total{provider="codehost",status="wrong_content_type"} 1',
    ]);
    expect(await refusals()).toEqual([
      {
        provider: 'codehost',
        reason: 'wrong_content_type',
        lastAt: new Date(world.clock.nowMs()).toISOString(),
        message: expect.stringContaining('set the content type to application/json'),
      },
    ]);
    const shown = await signal('codehost');
    // Anybody can send such a thing: it is told, and is no alarm.
    expect(shown).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('set the content type to application/json'),
    });
    const check = await ask<{ notes: string[] }>('POST', '/setup/check', { step: 'code_host' });
    expect(check.notes.join('\n')).toContain('set the content type to application/json');
  });

  it('are told apart by a closed list of reasons, whoever sends what', async () => {
    const send = async (path: string, init: { headers?: Record<string, string>; body?: string }) =>
      (await sendTo(world, path, { body: '{}', ...init })).status;
    expect(await send('/webhooks/tracker', {})).toBe(401);
    expect(await send('/webhooks/github', {})).toBe(404);
    expect(await send('/webhooks/tracker', { body: 'x'.repeat(1_048_577) })).toBe(413);
    const body = 'not json';
    const headers = { 'Linear-Signature': await sign(body), 'Linear-Delivery': 'd' };
    expect(await send('/webhooks/tracker', { headers, body })).toBe(400);
    expect(await send('/api/v1/webhooks/trigger', {})).toBe(401);
    expect(await send('/api/v1/webhooks/trigger', { headers: { 'Content-Type': FORM } })).toBe(415);
    await world.core.background.settled();
    expect(
      (await refusals()).map(({ provider, reason }) => `${provider} ${reason}`).sort(),
    ).toEqual([
      'null unknown_receiver',
      'tracker malformed',
      'tracker too_large',
      'tracker wrong_signature',
      'trigger wrong_content_type',
      'trigger wrong_signature',
    ]);
    expect((await counted()).every((line) => line.endsWith(' 1'))).toBe(true);
  });

  it('name a missing secret, a limit that is reached and a name that nobody configured', async () => {
    await world.restart({ SERVICE_CONFIG__limits__webhooksPerMinute: '2' });
    expect((await sendCodehostDelivery(world, 'd')).status).toBe(503);
    const request = (host: string) =>
      world.core.app.request(
        `http://${host}/webhooks/codehost`,
        { method: 'POST', headers: { Host: host, 'Content-Type': 'application/json' }, body: '{}' },
        { remoteAddress: '127.0.0.1' },
      );
    expect((await request('tunnel.example')).status).toBe(403);
    for (let at = 0; at < 3; at += 1) await sendCodehostDelivery(world, 'd');
    await world.core.background.settled();
    expect((await refusals()).map(({ reason }) => reason).sort()).toEqual([
      'rate_limited',
      'unconfigured',
      'unknown_host',
    ]);
  });

  it('leave a bounded number of rows and no line in the log, however many come', async () => {
    const writes: number[] = [];
    for (let at = 0; at < 200; at += 1) {
      await sendTo(world, `/webhooks/x${at}`, { body: '{}' });
      await sendTo(world, '/webhooks/tracker', { body: `{"at":${at}}` });
      await world.core.background.settled();
      const rows = await world.deps.db
        .select()
        .from(facts)
        .where(like(facts.name, 'webhook_refused:%'));
      writes.push(rows.length);
    }
    expect(Math.max(...writes)).toBe(2);
    expect(world.core.complaints).toEqual([]);
    const first = (await refusals())[0]?.lastAt;
    world.clock.advance(60_000);
    await sendTo(world, '/webhooks/tracker', { body: '{}' });
    await world.core.background.settled();
    expect((await refusals())[0]?.lastAt).not.toBe(first);
  });

  it('are no longer in the signal once deliveries arrive, and gone after a week', async () => {
    await sendForm();
    world.clock.advance(1_000);
    expect((await sendCodehostDelivery(world, 'd-2')).status).toBe(200);
    expect((await signal('codehost'))?.message).not.toContain('content type');
    expect(await refusals()).toHaveLength(1);
    world.clock.advance(8 * 86_400_000);
    expect(await refusals()).toEqual([]);
  });

  it('are nothing that only reads: a person who opens the address in a browser', async () => {
    const local = { remoteAddress: '127.0.0.1' };
    const init = { headers: { Host: 'localhost' } };
    expect((await world.core.app.request('/webhooks/codehost', init, local)).status).toBe(405);
    expect(await refusals()).toEqual([]);
    expect(await counted()).toEqual([]);
  });
});
