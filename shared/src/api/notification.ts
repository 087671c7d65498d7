import { z } from 'zod';
import { namedObject } from '../named-object.ts';

/** Types of notifications. The first five concern workers; the others were added later. */
export const NotificationType = z
  .enum([
    'issue_claimed',
    'worker_launched',
    'worker_completed',
    'worker_retry',
    'worker_failed',
    'input_requested',
    'pull_request_opened',
    'alert_fired',
    'automation_failed',
  ])
  .meta({ id: 'NotificationType' });
export type NotificationType = z.infer<typeof NotificationType>;

/** The issue at the time the notification was written. */
export const NotificationIssue = namedObject('NotificationIssue', {
  id: z.string().nullable(),
  identifier: z.string(),
  title: z.string(),
  state: z.string().nullable(),
  url: z.string().nullable().describe("The tracker's own page of the issue."),
});
export type NotificationIssue = z.infer<typeof NotificationIssue>;

/** One notification, as the API lists it and as webhook channels receive it. */
export const Notification = namedObject('Notification', {
  id: z.string(),
  type: NotificationType,
  severity: z.enum(['info', 'critical']),
  timestamp: z.iso.datetime(),
  message: z.string(),
  issue: NotificationIssue.nullable().describe('Null where it is about no issue.'),
  attempt: z.int().nullable().describe('Number of the attempt.'),
  metadata: z.record(z.string(), z.unknown()).optional(),
  dedupeKey: z.string().optional(),
  read: z.boolean(),
  readAt: z.iso.datetime().nullable(),
});
export type Notification = z.infer<typeof Notification>;

/** One page of notifications, newest first. */
export const NotificationList = namedObject('NotificationList', {
  notifications: z.array(Notification),
  unreadCount: z.int().describe('Unread ones of all, whatever the filter.'),
  total: z.int().describe('Size of the filtered set.'),
  nextCursor: z.string().nullable().describe('Cursor of the page after this one.'),
});
export type NotificationList = z.infer<typeof NotificationList>;

/** Delivery results of one channel so far. Never shows the channel's address. */
export const NotificationChannelHealth = namedObject('NotificationChannelHealth', {
  name: z.string(),
  type: z.enum(['chat', 'webhook']),
  verbosity: z.enum(['off', 'critical', 'verbose']),
  types: z.array(NotificationType).nullable(),
  status: z.enum(['unused', 'ok', 'failing']),
  delivered: z.int(),
  pending: z.int(),
  dead: z.int().describe('Given up after all tries; kept as long as deliveries are.'),
  failuresInARow: z.int(),
  lastSuccessAt: z.iso.datetime().nullable(),
  lastErrorAt: z.iso.datetime().nullable(),
  lastError: z.string().nullable(),
});
export type NotificationChannelHealth = z.infer<typeof NotificationChannelHealth>;
