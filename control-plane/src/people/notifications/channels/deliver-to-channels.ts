import { and, asc, eq, lt, lte, sql } from 'drizzle-orm';
import { PostFailed } from '../../../integrations/chat/post-json.ts';
import type { NotificationChannel } from '../../../admin/config/sections/notifications.ts';
import { notificationChannels, notifications } from '../../../db/schema/people/notifications.ts';
import { type OutboxRow, outbox } from '../../../db/schema/operation/outbox.ts';
import type { Deps } from '../../../deps.ts';
import { leadsNow } from '../../../jobs/leadership/leads-now.ts';
import { NOTIFICATION_DELIVERY } from '../../../jobs/outbox/effect.ts';
import { channelBackoffMs } from '../decide.ts';
import { notificationRecord } from '../notification-record.ts';
import { sendToChannel } from './send-to-channel.ts';

/** Tries after which a delivery is dead. */
const MAX_TRIES = 8;
/** Older news is of no use to anybody. */
const MAX_AGE_MS = 6 * 3_600_000;
/** A channel is served for this long at most, then again from the start. */
const SERVE_MS = 40_000;
/** Longer than serving and its last delivery take: until then the channel is nobody else's. */
const CLAIM_MS = 60_000;

type ServeDeps = Pick<
  Deps,
  'db' | 'clock' | 'config' | 'background' | 'logger' | 'resolveSecret' | 'service' | 'wake'
>;

/**
 * Starts to serve every channel that is due, each by itself and beside the coordinator: a channel
 * that hangs delays nothing but its own deliveries.
 */
export async function deliverToChannels(deps: ServeDeps): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const due = await deps.db
    .select({ name: notificationChannels.name, due_at_ms: notificationChannels.due_at_ms })
    .from(notificationChannels)
    .where(lte(notificationChannels.due_at_ms, nowMs));
  for (const { name, due_at_ms: dueAtMs } of due) {
    const untilMs = nowMs + CLAIM_MS;
    const claimed = await deps.db
      .update(notificationChannels)
      .set({ due_at_ms: untilMs })
      .where(
        and(
          eq(notificationChannels.name, name),
          eq(notificationChannels.due_at_ms, dueAtMs ?? nowMs),
        ),
      );
    if (claimed.rowsAffected !== 1) continue;
    deps.background.run('notifications', () => serveChannel(deps, name, untilMs));
  }
}

async function serveChannel(deps: ServeDeps, name: string, claimedUntilMs: number): Promise<void> {
  const stopAtMs = deps.clock.nowMs() + SERVE_MS;
  const claim = { name, untilMs: claimedUntilMs };
  let failed = false;
  while (!failed && deps.clock.nowMs() < stopAtMs && (await stillLeads(deps))) {
    const row = await nextDelivery(deps, name);
    if (row === null) break;
    failed = (await deliver(deps, claim, row)) === 'failed';
  }
  if (!failed) {
    // What came meanwhile is served at once.
    const waiting = sql`exists (select 1 from outbox where ${isWaiting(name)})`;
    await deps.db
      .update(notificationChannels)
      .set({ due_at_ms: sql`case when ${waiting} then ${deps.clock.nowMs()} else null end` })
      .where(isClaimed(claim));
  }
  deps.wake();
}

type Claim = { name: string; untilMs: number };

function isClaimed({ name, untilMs }: Claim) {
  return and(eq(notificationChannels.name, name), eq(notificationChannels.due_at_ms, untilMs));
}

async function stillLeads(deps: ServeDeps): Promise<boolean> {
  const row = await deps.db.get<{ leads: number }>(sql`select ${leadsNow(deps)} as leads`);
  return row?.leads === 1;
}

function isWaiting(channel: string) {
  return and(
    eq(outbox.kind, NOTIFICATION_DELIVERY),
    eq(outbox.status, 'pending'),
    eq(sql`json_extract(${outbox.payload}, '$.channel')`, channel),
  );
}

async function nextDelivery(deps: ServeDeps, channel: string): Promise<OutboxRow | null> {
  const [row] = await deps.db
    .select()
    .from(outbox)
    .where(isWaiting(channel))
    .orderBy(asc(outbox.created_at_ms), asc(outbox.key))
    .limit(1);
  return row ?? null;
}

/** One delivery. After `failed` the channel is left alone for a while. */
async function deliver(
  deps: ServeDeps,
  claim: Claim,
  row: OutboxRow,
): Promise<'went on' | 'failed'> {
  const { name } = claim;
  const { channels } = (await deps.config.load()).notifications;
  const channel = channels.find((candidate) => candidate.name === name);
  if (channel === undefined || channel.verbosity === 'off') {
    await deps.db
      .update(outbox)
      .set({ status: 'dead', last_error: 'the channel is off or no longer configured' })
      .where(isWaiting(name));
    return 'went on';
  }
  try {
    await send(deps, channel, row);
    await recordSuccess(deps, name, row);
    return 'went on';
  } catch (error) {
    if (!(error instanceof PostFailed)) throw error;
    await recordFailure(deps, claim, row, error);
    // A message that the receiver will never take says nothing about the channel.
    return error.useless ? 'went on' : 'failed';
  }
}

async function send(deps: ServeDeps, channel: NotificationChannel, row: OutboxRow): Promise<void> {
  const [found] = await deps.db
    .select()
    .from(notifications)
    .where(eq(notifications.notification_id, String(row.payload['notificationId'])));
  if (found === undefined) throw new PostFailed('the notification is gone', { useless: true });
  await sendToChannel(deps, channel, notificationRecord(found));
}

async function recordSuccess(deps: ServeDeps, name: string, row: OutboxRow): Promise<void> {
  const nowMs = deps.clock.nowMs();
  await deps.db.batch([
    deps.db
      .update(outbox)
      .set({ status: 'done', done_at_ms: nowMs, last_error: null })
      .where(eq(outbox.key, row.key)),
    deps.db
      .update(notificationChannels)
      .set({
        delivered: sql`${notificationChannels.delivered} + 1`,
        failures_in_a_row: 0,
        last_success_at_ms: nowMs,
      })
      .where(eq(notificationChannels.name, name)),
  ]);
}

async function recordFailure(
  deps: ServeDeps,
  claim: Claim,
  row: OutboxRow,
  failure: PostFailed,
): Promise<void> {
  const { name } = claim;
  const nowMs = deps.clock.nowMs();
  const [channel] = await deps.db
    .select({ failures: notificationChannels.failures_in_a_row })
    .from(notificationChannels)
    .where(eq(notificationChannels.name, name));
  const failures = (channel?.failures ?? 0) + 1;
  const tries = row.tries + 1;
  const dead = failure.useless || tries >= MAX_TRIES;
  const atMs = nowMs + Math.max(channelBackoffMs(failures), failure.retryAfterMs ?? 0);
  deps.logger.warn('notification not delivered', {
    channel: name,
    tries,
    dead,
    error: failure.message,
  });
  await deps.db.batch([
    deps.db
      .update(outbox)
      .set({
        status: dead ? 'dead' : 'pending',
        tries,
        next_try_at_ms: atMs,
        last_error: failure.message,
      })
      .where(eq(outbox.key, row.key)),
    deps.db
      .update(outbox)
      .set({ status: 'dead', last_error: `too old by now; ${failure.message}` })
      .where(and(isWaiting(name), lt(outbox.created_at_ms, nowMs - MAX_AGE_MS))),
    deps.db
      .update(notificationChannels)
      .set({
        failures_in_a_row: failures,
        last_error_at_ms: nowMs,
        last_error: failure.message,
      })
      .where(eq(notificationChannels.name, name)),
    ...(failure.useless
      ? []
      : [deps.db.update(notificationChannels).set({ due_at_ms: atMs }).where(isClaimed(claim))]),
  ]);
}
