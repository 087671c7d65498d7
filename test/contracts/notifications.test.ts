import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Notification, NotificationList } from '@switchyard/shared/api/notification';
import { notify } from '../../control-plane/src/notifications/notify.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { DELIVERY } from '../support/core/scripted-runner.ts';
import { until as untilThen } from '../support/e2e/until.ts';
import { type FakeReceiver, startFakeReceiver } from '../support/receivers/fake-receiver.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const worlds: CoreWorld[] = [];
const receivers: FakeReceiver[] = [];
const make = async (variables?: Record<string, string>) => {
  const world = await createCoreWorld(openFramePeer, variables);
  worlds.push(world);
  return world;
};
const receiver = async () => {
  const started = await startFakeReceiver();
  receivers.push(started);
  return started;
};

afterEach(async () => {
  for (const started of receivers.splice(0)) await started.close();
  for (const world of worlds.splice(0)) await world.close();
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
const LOCAL = { remoteAddress: '127.0.0.1' };
const HEADERS = { Host: '127.0.0.1:4000' };

async function call(world: CoreWorld, method: string, path: string) {
  const response = await world.core.app.request(
    `http://127.0.0.1:4000${path}`,
    { method, headers: HEADERS },
    LOCAL,
  );
  return { status: response.status, body: (await response.json()) as never };
}

const list = async (world: CoreWorld, query = ''): Promise<NotificationList> =>
  (await call(world, 'GET', `/api/v1/notifications${query}`)).body;
const types = ({ notifications }: NotificationList) =>
  notifications.map((notification) => notification.type).toReversed();
const phase = (name: string) => ({ kind: 'phase', payload: { phase: name } });

describe('notifications', () => {
  it('tell of an issue from its pick-up to its pull request', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.events(lease, phase('starting'), phase('streaming'));
    await runner.finish(lease, { marker: 'DONE', delivery: DELIVERY, summary: 'Done.' });
    await world.tick();
    const page = await list(world);
    expect(types(page)).toEqual([
      'issue_claimed',
      'worker_launched',
      'worker_completed',
      'pull_request_opened',
    ]);
    expect(page).toMatchObject({ total: 4, unreadCount: 4, nextCursor: null });
    expect(page.notifications[0]).toMatchObject({
      severity: 'info',
      attempt: 1,
      read: false,
      issue: { identifier, title: 'Fix the build' },
      metadata: { pullRequestUrl: expect.stringContaining('http') as string },
    });
  });

  it('tell of a failure that is tried again, of the last one, and not of a continuation', async () => {
    const { world, runner, lease } = await sceneWithLease(make, {
      SERVICE_CONFIG__agent__maxContinuationAttempts: '2',
    });
    await runner.finish(lease);
    await world.pass(1_001);
    await runner.finish(await runner.accept(runner.offer()), {
      outcome: 'failed',
      failureKind: 'agent_error',
      message: 'it broke',
    });
    await world.pass(10_001);
    await runner.finish(await runner.accept(runner.offer()), {
      outcome: 'failed',
      failureKind: 'container_oom',
      message: 'out of memory',
    });
    const page = await list(world);
    expect(types(page)).toEqual(['issue_claimed', 'worker_retry', 'worker_failed']);
    expect(page.notifications[0]).toMatchObject({
      severity: 'critical',
      attempt: 3,
      metadata: { failureKind: 'container_oom' },
    });
    expect(page.notifications[1]?.severity).toBe('critical');
  });

  it('tell of a question with what it asks', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const question = { id: 'q', header: '', question: 'Which?', options: [], isSecret: false };
    await runner.events(lease, {
      kind: 'request',
      payload: { requestId: 'e1', turnId: 't1', questions: [question] },
    });
    expect((await list(world)).notifications[0]).toMatchObject({
      type: 'input_requested',
      message: expect.stringContaining('Which?') as string,
    });
  });

  it('are one within 30 seconds and two after it, by content or by key', async () => {
    const world = await make();
    let ids = 0;
    const tell = (message: string, dedupeKey?: string) =>
      world.deps.db.batch(
        notify(world.deps.db, world.clock.nowMs(), {
          id: `ntf_${(ids += 1)}`,
          type: 'alert_fired',
          message,
          issue: null,
          attempt: null,
          ...(dedupeKey === undefined ? {} : { dedupeKey }),
        }) as never,
      );
    await tell('a');
    world.clock.advance(29_999);
    await tell('a');
    await tell('b', 'key');
    await tell('c', 'key');
    expect((await list(world)).total).toBe(2);
    world.clock.advance(1);
    await tell('a');
    expect((await list(world)).total).toBe(3);
  });

  it('are read one by one and all at once, in pages', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    world.clock.advance(1);
    await runner.events(lease, phase('streaming'));
    world.clock.advance(1);
    await runner.finish(lease, { marker: 'DONE' });
    const first = await list(world, '?limit=1');
    expect(first).toMatchObject({ total: 3, notifications: [{ type: 'worker_completed' }] });
    const second = await list(world, `?limit=2&cursor=${first.nextCursor}`);
    expect(types(second)).toEqual(['issue_claimed', 'worker_launched']);
    expect(second.nextCursor).toBeNull();
    const id = first.notifications[0]?.id ?? '';
    const read: Notification = (await call(world, 'POST', `/api/v1/notifications/${id}/read`)).body;
    expect(read).toMatchObject({ id, read: true });
    expect((await call(world, 'POST', `/api/v1/notifications/${id}/read`)).status).toBe(200);
    expect(await list(world, '?unread=true')).toMatchObject({ total: 2, unreadCount: 2 });
    expect((await call(world, 'POST', '/api/v1/notifications/read-all')).body).toMatchObject({
      updated: 2,
    });
    expect(await list(world)).toMatchObject({ total: 3, unreadCount: 0 });
    expect((await call(world, 'POST', '/api/v1/notifications/ntf_none/read')).status).toBe(404);
    for (const query of ['?limit=0', '?limit=501', '?limit=x', '?unread=maybe', '?cursor=zzz']) {
      expect((await call(world, 'GET', `/api/v1/notifications${query}`)).status).toBe(400);
    }
  });
});

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
      (await call(world, 'GET', '/api/v1/notifications/channels')).body;
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
      JSON.stringify((await call(world, 'GET', '/api/v1/notifications/channels')).body).includes(
        'answered 429',
      ),
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
    expect((await call(none, 'POST', '/api/v1/notifications/test')).status).toBe(503);
    const some = await receiver();
    const world = await make(channels(chat(some.url)));
    expect(await call(world, 'POST', '/api/v1/notifications/test')).toMatchObject({
      status: 200,
      body: { ok: true, channels: ['team'] },
    });
    some.behave({ kind: 'status', status: 403, body: 'invalid_token' });
    const refused = await call(world, 'POST', '/api/v1/notifications/test');
    expect(refused).toMatchObject({
      status: 502,
      body: { error: 'channel team: answered 403: invalid_token' },
    });
    expect((await call(world, 'POST', '/api/v1/notifications/test?channel=no')).status).toBe(404);
  });

  it('of the older shape work', async () => {
    const old = await receiver();
    const world = await make({ SERVICE_CONFIG__notifications__slack__webhookUrl: old.url });
    expect((await call(world, 'POST', '/api/v1/notifications/test')).body).toMatchObject({
      channels: ['slack'],
    });
    expect(old.received).toHaveLength(1);
  });
});
