import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { callCore } from '../support/core/call-core.ts';
import { DELIVERY } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { until as untilThen } from '../support/e2e/until.ts';
import { type FakeReceiver, startFakeReceiver } from '../support/receivers/fake-receiver.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const receivers: FakeReceiver[] = [];
const receiver = async () => {
  const started = await startFakeReceiver();
  receivers.push(started);
  return started;
};

// After-hooks run last first: a receiver that hangs must be gone before its world closes.
afterEach(async () => {
  for (const started of receivers.splice(0)) await started.close();
});
const channels = (...list: Record<string, unknown>[]) => ({
  SERVICE_CONFIG__notifications__channels: JSON.stringify(list),
});
const chat = (url: string, more: Record<string, unknown> = {}) => ({
  type: 'chat',
  name: 'team',
  webhookUrl: url,
  verbosity: 'verbose',
  ...more,
});
/** Deliveries run beside the coordinator, on real sockets. */
const until = (what: string, done: () => Promise<boolean>) =>
  untilThen(done, (is) => is, { what, timeoutMs: 60_000 });
describe('channels', () => {
  it('get what their verbosity and types say, escaped and with links', async () => {
    const [verbose, critical, narrow] = [await receiver(), await receiver(), await receiver()];
    const { world, runner, lease } = await sceneWithLease(
      make,
      channels(
        chat(verbose.url),
        chat(critical.url, { name: 'pager', verbosity: 'critical' }),
        chat(narrow.url, { name: 'reviews', types: ['pull_request_opened'] }),
        chat(narrow.url, { name: 'silent', verbosity: 'off' }),
      ),
    );
    await world.editIssue('SY-1', { title: 'Fix <!channel> & <http://evil.example|this>' });
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY });
    await world.tick();
    await until('three deliveries', async () => {
      await world.tick();
      return verbose.received.length === 3 && narrow.received.length === 1;
    });
    expect(critical.received).toEqual([]);
    const text = narrow.received[0]?.body ?? '';
    expect(text).toContain('&lt;!channel&gt; &amp; &lt;http://evil.example|this&gt;');
    expect(text).toContain('|Review>');
    expect(text).toContain('http://127.0.0.1:4000/issues/SY-1|Open>');
    expect((JSON.parse(text) as { blocks: { type: string }[] }).blocks[0]?.type).toBe('header');
  });

  it('of webhooks sign what they send', async () => {
    const hook = await receiver();
    const { world } = await sceneWithLease(
      make,
      channels({
        type: 'webhook',
        name: 'hook',
        webhookUrl: hook.url,
        secret: 'shared secret',
        verbosity: 'verbose',
      }),
    );
    await until('a delivery', async () => {
      await world.tick();
      return hook.received.length === 1;
    });
    const [got] = hook.received;
    const {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': signature,
    } = got?.headers ?? {};
    const mac = createHmac('sha256', 'shared secret').update(
      `${String(id)}.${String(at)}.${got?.body}`,
    );
    expect(signature).toBe(`v1,${mac.digest('base64')}`);
    expect(JSON.parse(got?.body ?? '')).toMatchObject({ id, type: 'issue_claimed', attempt: 1 });
  });

  it('that fail are tried again, shown, given up in the end, and stop nothing else', async () => {
    const [bad, good] = [await receiver(), await receiver()];
    bad.behave({ kind: 'status', status: 500, body: 'out of order at /services/T000/B000/x' });
    const { world } = await sceneWithLease(
      make,
      channels(chat(bad.url, { name: 'bad' }), chat(good.url, { name: 'good' })),
    );
    const health = async (): Promise<{ channels: { failuresInARow: number }[] }> =>
      (await callCore(world, 'GET', '/api/v1/notifications/channels')).body;
    for (let failures = 1; failures <= 8; failures += 1) {
      await world.tick();
      await until(
        `failure ${failures}`,
        async () => (await health()).channels[0]?.failuresInARow === failures,
      );
      world.clock.advance(300_001);
    }
    expect(bad.received).toHaveLength(8);
    expect(good.received).toHaveLength(1);
    const body = await health();
    expect(body).toMatchObject({
      channels: [
        { name: 'bad', status: 'failing', dead: 1, pending: 0, failuresInARow: 8 },
        { name: 'good', status: 'ok', delivered: 1, lastError: null },
      ],
    });
    expect(JSON.stringify(body)).toMatch(/answered 500: out of order/);
    expect(JSON.stringify(body)).not.toContain('not-a-real-key');
    expect(world.core.complaints.join()).not.toContain('not-a-real-key');
  });

  it('that say when to come back are left alone until then', async () => {
    const slow = await receiver();
    slow.behave({ kind: 'status', status: 429, headers: { 'retry-after': '120' } }, { kind: 'ok' });
    const { world } = await sceneWithLease(make, channels(chat(slow.url)));
    await until('the refusal is noted', async () =>
      JSON.stringify(
        (await callCore(world, 'GET', '/api/v1/notifications/channels')).body,
      ).includes('answered 429'),
    );
    await world.pass(119_000);
    expect(slow.received).toHaveLength(1);
    await world.pass(1_001);
    await until('the second try', () => Promise.resolve(slow.received.length === 2));
  });

  it('that hang hold nobody up', async () => {
    const stuck = await receiver();
    stuck.behave({ kind: 'hang' });
    const { world, runner, lease } = await sceneWithLease(make, channels(chat(stuck.url)));
    await until('it hangs', () => Promise.resolve(stuck.received.length === 1));
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY });
    await world.tick();
    expect((await world.issue('SY-1')).status).toBe('completed');
    expect(stuck.received).toHaveLength(1);
    stuck.behave({ kind: 'ok' });
  });

  it('are tested honestly', async () => {
    const none = await make();
    expect((await callCore(none, 'POST', '/api/v1/notifications/test')).status).toBe(503);
    const some = await receiver();
    const world = await make(channels(chat(some.url)));
    expect(await callCore(world, 'POST', '/api/v1/notifications/test')).toMatchObject({
      status: 200,
      body: { ok: true, channels: ['team'] },
    });
    some.behave({ kind: 'status', status: 403, body: 'invalid_token' });
    const refused = await callCore(world, 'POST', '/api/v1/notifications/test');
    expect(refused).toMatchObject({
      status: 502,
      body: { error: 'channel team: answered 403: invalid_token' },
    });
    expect((await callCore(world, 'POST', '/api/v1/notifications/test?channel=no')).status).toBe(
      404,
    );
  });

  it('of the older shape work', async () => {
    const old = await receiver();
    const world = await make({ SERVICE_CONFIG__notifications__slack__webhookUrl: old.url });
    expect((await callCore(world, 'POST', '/api/v1/notifications/test')).body).toMatchObject({
      channels: ['slack'],
    });
    expect(old.received).toHaveLength(1);
  });
});
