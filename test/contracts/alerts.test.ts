import { describe, expect, it } from 'vitest';
import type { AlertHistoryRow } from '@switchyard/shared/api/alert';
import type { NotificationList } from '@switchyard/shared/api/notification';
import { nextDueAtMs } from '../../control-plane/src/coordinator/next-due-at-ms.ts';
import { appendEvents } from '../../control-plane/src/observe/events/append-events.ts';
import { eventsAfter } from '../../control-plane/src/observe/events/queries.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner, sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const rules = (...list: Record<string, unknown>[]) => ({
  SERVICE_CONFIG__alerts__rules: JSON.stringify(list),
});
const failures = (more: Record<string, unknown> = {}) => ({
  name: 'failures',
  condition: { event: 'attempt.ended', outcome: 'failed' },
  threshold: 3,
  windowMs: HOUR_MS,
  cooldownMs: HOUR_MS,
  severity: 'critical',
  ...more,
});

async function get(world: CoreWorld, path: string): Promise<never> {
  const response = await world.core.app.request(
    `http://127.0.0.1:4000${path}`,
    { headers: { Host: '127.0.0.1:4000' } },
    { remoteAddress: '127.0.0.1' },
  );
  expect(response.status).toBe(200);
  return (await response.json()) as never;
}

type HistoryPage = { history: AlertHistoryRow[]; total: number; nextCursor: string | null };
const historyOf = async (world: CoreWorld, query = ''): Promise<HistoryPage> =>
  get(world, `/api/v1/alerts/history${query}`);
const kinds = async (world: CoreWorld) =>
  (await historyOf(world)).history.map((row) => row.kind).toReversed();

async function ended(world: CoreWorld, outcome: string, times = 1) {
  const atMs = world.clock.nowMs();
  const events = Array.from({ length: times }, () => ({
    type: 'attempt.ended' as const,
    atMs,
    data: { outcome, failureKind: null },
  }));
  const [first, ...rest] = appendEvents(world.deps.db, atMs, events);
  if (first === undefined) throw new Error('no statements');
  await world.deps.db.batch([first, ...rest]);
}

describe('a rule over events', () => {
  it('fires once at its threshold, is silent for its cooldown, and a restart does not change that', async () => {
    const world = await make(rules(failures()));
    await world.tick();
    await ended(world, 'failed', 2);
    await ended(world, 'completed', 5);
    await world.pass(15_000);
    expect(await kinds(world)).toEqual(['evaluation']);
    await ended(world, 'failed');
    await world.pass(15_000);
    await world.pass(15_000);
    await world.restart();
    await world.pass(15_000);
    expect(await kinds(world)).toEqual(['evaluation', 'trigger', 'cooldown']);
    const { history } = await historyOf(world, '?rule_name=failures');
    expect(history[0]).toMatchObject({ kind: 'cooldown', evaluations: 2, value: 3 });
    expect(history[1]).toMatchObject({
      severity: 'critical',
      message: 'attempt.ended (failed) in 60 min: 3 (limit: at least 3)',
    });
    const told: NotificationList = await get(world, '/api/v1/notifications');
    expect(told.notifications).toMatchObject([
      { type: 'alert_fired', severity: 'info', issue: null, metadata: { ruleName: 'failures' } },
    ]);
    const { events } = await eventsAfter(world.deps.db, 0);
    expect(events.filter((event) => event.type === 'alert.fired')).toHaveLength(1);
  });

  it('fires again after its cooldown while it is still bad, and forgets what leaves the window', async () => {
    const world = await make(rules(failures({ windowMs: 10 * MINUTE_MS, cooldownMs: MINUTE_MS })));
    await world.tick();
    await ended(world, 'failed', 3);
    await world.pass(15_000);
    await world.pass(MINUTE_MS);
    await world.pass(11 * MINUTE_MS);
    expect(await kinds(world)).toEqual(['evaluation', 'trigger', 'trigger', 'evaluation']);
  });

  it('counts what real attempts did, each event once over many looks', async () => {
    const { world, runner, lease } = await sceneWithLease(make, {
      ...rules(failures({ threshold: 2, condition: { event: 'attempt.ended' } })),
    });
    await runner.finish(lease, { outcome: 'failed', failureKind: 'agent_error', message: 'no' });
    for (let looks = 0; looks < 4; looks += 1) await world.pass(15_000);
    expect((await historyOf(world)).history[0]).toMatchObject({ kind: 'evaluation', value: 1 });
  });

  it('does not look back before its first day', async () => {
    const world = await make();
    await ended(world, 'failed', 5);
    await world.restart(rules(failures()));
    await world.pass(15_000);
    await world.pass(15_000);
    expect(await kinds(world)).toEqual(['evaluation']);
  });
});

describe('a rule over a measure', () => {
  it('sees that no runner is connected, and that one came', async () => {
    const none = { gauge: 'runners_connected', comparison: 'at_most' };
    const world = await make(rules({ name: 'idle', condition: none, threshold: 0, cooldownMs: 0 }));
    await world.tick();
    await addRunner(world);
    await world.pass(15_000);
    expect(await kinds(world)).toEqual(['trigger', 'evaluation']);
  });

  it('sees how long the oldest issue waits', async () => {
    const world = await make(
      rules({ name: 'queue', condition: { gauge: 'queue_age_ms' }, threshold: 10 * MINUTE_MS }),
    );
    await world.createIssue();
    await world.tick();
    await world.pass(9 * MINUTE_MS);
    expect(await kinds(world)).toEqual(['evaluation']);
    await world.pass(MINUTE_MS);
    expect((await historyOf(world)).history[0]).toMatchObject({
      kind: 'trigger',
      value: 10 * MINUTE_MS,
    });
    const runner = await addRunner(world);
    await world.tick();
    await runner.accept(runner.offer());
    await world.pass(15_000);
    expect((await historyOf(world)).history[0]).toMatchObject({ kind: 'evaluation', value: 0 });
  });

  it('sees the share of successes, and says nothing where nothing ended', async () => {
    const { world, runner, lease } = await sceneWithLease(
      make,
      rules({
        name: 'success',
        condition: { gauge: 'success_rate', comparison: 'at_most' },
        threshold: 0.5,
      }),
    );
    await world.pass(15_000);
    expect((await historyOf(world)).history[0]).toMatchObject({ kind: 'evaluation', value: null });
    await runner.finish(lease, { outcome: 'failed', failureKind: 'agent_error', message: 'no' });
    await world.pass(15_000);
    expect((await historyOf(world)).history[0]).toMatchObject({ kind: 'trigger', value: 0 });
  });

  it('reads every measure there is', async () => {
    const gauges = ['webhooks_dead', 'effects_dead', 'spent_usd_today', 'tokens_today'];
    const world = await make(
      rules(...gauges.map((gauge) => ({ name: gauge, condition: { gauge }, threshold: 1 }))),
    );
    await world.tick();
    const { history, total } = await historyOf(world, '?limit=3');
    expect(total).toBe(4);
    expect(history.every((row) => row.value === 0)).toBe(true);
    const rest = await historyOf(world, '?limit=3');
    expect((await historyOf(world, `?cursor=${rest.nextCursor}`)).history).toHaveLength(1);
  });
});

describe('the timer', () => {
  it('is gone with the last rule, so that nothing wakes for it', async () => {
    const world = await make(rules(failures()));
    await world.tick();
    await world.restart({});
    await world.pass(MINUTE_MS);
    const due = await nextDueAtMs(world.deps);
    expect(due).toBeGreaterThan(world.clock.nowMs());
  });
});
