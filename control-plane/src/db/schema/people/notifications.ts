import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { NotificationIssue, NotificationType } from '@switchyard/shared/api/notification';

/** Notifications, written in the batch of the change that they report. */
export const notifications = sqliteTable(
  'notifications',
  {
    notification_id: text().primaryKey(),
    type: text().$type<NotificationType>().notNull(),
    severity: text().$type<'info' | 'critical'>().notNull(),
    message: text().notNull(),
    /** The issue as it was at that moment; null when the notification concerns none. */
    issue: text({ mode: 'json' }).$type<NotificationIssue>(),
    attempt: integer(),
    metadata: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** Key by which duplicates within the window are recognised. */
    dedupe: text().notNull(),
    /** The key that the caller gave, for the API. */
    dedupe_key: text(),
    /** Names of the channels that may send it; null: all. */
    channels: text({ mode: 'json' }).$type<string[]>(),
    created_at_ms: integer().notNull(),
    read_at_ms: integer(),
    /** When its deliveries were queued. */
    spread_at_ms: integer(),
  },
  (table) => [
    index('notifications_created').on(table.created_at_ms, table.notification_id),
    index('notifications_dedupe').on(table.dedupe, table.created_at_ms),
    index('notifications_unread')
      .on(table.created_at_ms)
      .where(sql`read_at_ms is null`),
    index('notifications_unspread')
      .on(table.created_at_ms)
      .where(sql`spread_at_ms is null`),
  ],
);
export type NotificationRow = typeof notifications.$inferSelect;

/** The delivery state of each channel. */
export const notificationChannels = sqliteTable('notification_channels', {
  name: text().primaryKey(),
  delivered: integer().notNull().default(0),
  failures_in_a_row: integer().notNull().default(0),
  last_success_at_ms: integer(),
  last_error_at_ms: integer(),
  last_error: text(),
});
export type NotificationChannelRow = typeof notificationChannels.$inferSelect;
