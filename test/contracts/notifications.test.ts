import { describe, expect, it } from 'vitest';
import type { Notification, NotificationList } from '@switchyard/shared/api/notification';
import { notify } from '../../control-plane/src/notifications/notify.ts';
import { callCore } from '../support/core/call-core.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { DELIVERY } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

const list = async (world: CoreWorld, query = ''): Promise<NotificationList> =>
  (await callCore(world, 'GET', `/api/v1/notifications${query}`)).body;
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
    const read: Notification = (await callCore(world, 'POST', `/api/v1/notifications/${id}/read`))
      .body;
    expect(read).toMatchObject({ id, read: true });
    expect((await callCore(world, 'POST', `/api/v1/notifications/${id}/read`)).status).toBe(200);
    expect(await list(world, '?unread=true')).toMatchObject({ total: 2, unreadCount: 2 });
    const readAll = async (query = '') =>
      (await callCore(world, 'POST', `/api/v1/notifications/read-all${query}`)).body;
    const other = await world.createIssue();
    await world.tick();
    const told = (await list(world)).unreadCount;
    expect(told).toBeGreaterThan(2);
    expect(await readAll('?issue=XX-1')).toMatchObject({ updated: 0 });
    expect(await readAll(`?issue=${other}`)).toMatchObject({ updated: told - 2 });
    expect(await readAll()).toMatchObject({ updated: 2 });
    expect(await list(world)).toMatchObject({ total: told + 1, unreadCount: 0 });
    expect((await callCore(world, 'POST', '/api/v1/notifications/ntf_none/read')).status).toBe(404);
    for (const query of ['?limit=0', '?limit=501', '?limit=x', '?unread=maybe', '?cursor=zzz']) {
      expect((await callCore(world, 'GET', `/api/v1/notifications${query}`)).status).toBe(400);
    }
  });
});
