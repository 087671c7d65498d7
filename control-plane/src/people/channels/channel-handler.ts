import type { Notification } from '@switchyard/shared/api/notification';
import { eq, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import { PostFailed } from '../../integrations/chat/post-json.ts';
import type { NotificationChannel } from '../../config/sections/notifications.ts';
import type { Database, Statement } from '../../db/database.ts';
import { notificationChannels, notifications } from '../../db/schema/people/notifications.ts';
import type { JobRow } from '../../db/schema/operation/jobs.ts';
import type { Deps } from '../../deps.ts';
import { type Begun, JobFailed, type JobHandler, JobRefused } from '../../jobs/queue/run-jobs.ts';
import { retryDelayMs } from '../../jobs/queue/retry-delay-ms.ts';
import { notificationRecord } from '../../notifications/notification-record.ts';
import { sendToChannel } from './send-to-channel.ts';

/** Age from which a waiting notification is dropped when a delivery of its channel fails. */
const MAX_AGE_MS = 6 * 3_600_000;
/** How long a delivery is claimed; longer than one takes. */
const CLAIM_MS = 60_000;

type DeliverDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'resolveSecret' | 'service' | 'redactor'>;

/**
 * Delivers notifications. Each channel is a queue of its own, so a failing channel delays no other.
 */
export function channelHandler(deps: DeliverDeps): JobHandler {
  return { maxAgeMs: MAX_AGE_MS, run: (job) => deliverToChannel(deps, job) };
}

async function deliverToChannel(deps: DeliverDeps, job: JobRow): Promise<Begun> {
  const name = String(job.payload['channel']);
  const { channels } = (await deps.config.load()).notifications;
  const channel = channels.find((candidate) => candidate.name === name);
  if (channel === undefined || channel.verbosity === 'off') {
    throw new JobRefused('the channel is off or no longer configured');
  }
  const [found] = await deps.db
    .select()
    .from(notifications)
    .where(eq(notifications.notification_id, String(job.payload['notificationId'])));
  if (found === undefined) throw new JobRefused('the notification is gone');
  return { end: send(deps, channel, notificationRecord(found)), withinMs: CLAIM_MS };
}

async function send(
  deps: DeliverDeps,
  channel: NotificationChannel,
  notification: Notification,
): Promise<Statement[]> {
  const { name } = channel;
  try {
    await sendToChannel(deps, channel, notification);
  } catch (error) {
    if (!(error instanceof PostFailed)) throw error;
    throw await failureOf(deps, name, error);
  }
  const success = { failures_in_a_row: 0, last_success_at_ms: deps.clock.nowMs() };
  const delivered = sql`${notificationChannels.delivered} + 1`;
  return [noteHealth(deps.db, { name, ...success, delivered: 1 }, { ...success, delivered })];
}

/** The queue is delayed by the failures of its channel, not by the tries of one delivery. */
async function failureOf(deps: DeliverDeps, name: string, failure: PostFailed): Promise<JobFailed> {
  const { db, clock } = deps;
  const nowMs = clock.nowMs();
  const { message, useless, retryAfterMs } = failure;
  const [known] = await db
    .select({ failures: notificationChannels.failures_in_a_row })
    .from(notificationChannels)
    .where(eq(notificationChannels.name, name));
  const failures = (known?.failures ?? 0) + 1;
  const health = { failures_in_a_row: failures, last_error_at_ms: nowMs, last_error: message };
  const statements = [noteHealth(db, { name, ...health }, health)];
  // A message that the receiver always refuses says nothing about the channel.
  if (useless) return new JobRefused(message, { statements });
  const retryAtMs = nowMs + Math.max(retryDelayMs(failures), retryAfterMs ?? 0);
  return new JobFailed(message, { statements, retryAtMs });
}

type ChannelRow = typeof notificationChannels;

function noteHealth(
  db: Database,
  row: ChannelRow['$inferInsert'],
  set: SQLiteUpdateSetSource<ChannelRow>,
): Statement {
  const target = notificationChannels.name;
  return db.insert(notificationChannels).values(row).onConflictDoUpdate({ target, set });
}
