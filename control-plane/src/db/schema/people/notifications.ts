import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { NotificationIssue, NotificationType } from '@switchyard/shared/api/notification';

/** What people were told, written in the batch of the change that it is about. */
export const notifications = sqliteTable(
  'notifications',
  {
    notification_id: text().primaryKey(),
    type: text().$type<NotificationType>().notNull(),
    severity: text().$type<'info' | 'critical'>().notNull(),
    message: text().notNull(),
    /** As it stood at that moment; null where it is about no issue. */
    issue: text({ mode: 'json' }).$type<NotificationIssue>(),
    attempt: integer(),
    metadata: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** What makes two of them the same within the duplicate window. */
    dedupe: text().notNull(),
    /** The key that was given, for those who read it back. */
    dedupe_key: text(),
    /** Names of the channels that may have it; null: all. */
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

/** How deliveries over a channel fare. */
export const notificationChannels = sqliteTable('notification_channels', {
  name: text().primaryKey(),
  delivered: integer().notNull().default(0),
  failures_in_a_row: integer().notNull().default(0),
  last_success_at_ms: integer(),
  last_error_at_ms: integer(),
  last_error: text(),
});
export type NotificationChannelRow = typeof notificationChannels.$inferSelect;
