import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import {
  type NotificationChannelRow,
  notificationChannels,
  type NotificationRow,
  notifications,
} from '../db/schema/people/notifications.ts';
import { jobs } from '../db/schema/operation/jobs.ts';
import { NOTIFICATION_DELIVERY } from '../jobs/queue/effect.ts';
import { olderThan, pageOf, type PagePosition } from '../http/page-position.ts';

/**
 * A page of notifications, newest first, in one read. A surplus row beyond `limit` means that there
 * is a next page.
 */
export async function notificationPage(
  db: Database,
  input: { limit: number; unread: boolean; after: PagePosition | null },
): Promise<{ rows: NotificationRow[]; total: number; unreadCount: number; more: boolean }> {
  const unread = input.unread ? isNull(notifications.read_at_ms) : undefined;
  const { after } = input;
  const older = olderThan(after, notifications.created_at_ms, notifications.notification_id);
  const [rows, [counted], [unreadCounted]] = await db.batch([
    db
      .select()
      .from(notifications)
      .where(and(unread, older))
      .orderBy(desc(notifications.created_at_ms), desc(notifications.notification_id))
      .limit(input.limit + 1),
    db
      .select({ count: sql<number>`count(*)` })
      .from(notifications)
      .where(unread),
    db
      .select({ count: sql<number>`count(*)` })
      .from(notifications)
      .where(isNull(notifications.read_at_ms)),
  ]);
  const counts = { total: counted?.count ?? 0, unreadCount: unreadCounted?.count ?? 0 };
  return { ...pageOf(rows, input.limit), ...counts };
}

export type ChannelState = {
  row: NotificationChannelRow | undefined;
  pending: number;
  dead: number;
};

/** The delivery state of each channel, by name. */
export async function channelStates(db: Database): Promise<(name: string) => ChannelState> {
  const channel = sql<string>`json_extract(${jobs.payload}, '$.channel')`;
  const [rows, counted] = await db.batch([
    db.select().from(notificationChannels),
    db
      .select({ channel, status: jobs.status, count: sql<number>`count(*)` })
      .from(jobs)
      .where(eq(jobs.kind, NOTIFICATION_DELIVERY))
      .groupBy(channel, jobs.status),
  ]);
  const count = (name: string, status: string) =>
    counted.find((row) => row.channel === name && row.status === status)?.count ?? 0;
  return (name) => ({
    row: rows.find((row) => row.name === name),
    pending: count(name, 'pending'),
    dead: count(name, 'dead'),
  });
}
