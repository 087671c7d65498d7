import { type SQL, sql } from 'drizzle-orm';
import type { NotificationType } from '@switchyard/shared/api/notification';
import { cutText } from '@switchyard/shared/text/cut-text';
import { appendEventIfWritten } from '../observe/events/append-events.ts';
import type { Database, Statement } from '../db/database.ts';
import type { StoredEvent } from '../db/schema/operation/events.ts';
import { severityOf } from './decide.ts';

/** Equal notifications within this time are merged. Source: interface, Notification events. */
const DUPLICATE_WINDOW_MS = 30_000;
const MAX_MESSAGE_CHARS = 1_000;

export type NewNotification = {
  /** Unique id derived from the cause, so that a repeated cause writes nothing. */
  id: string;
  type: NotificationType;
  message: string;
  /** The issue; null when the notification concerns none. */
  issue: { tracker: string; id: string; identifier: string } | null;
  attempt: number | null;
  metadata?: Record<string, unknown>;
  /** Key for merging, instead of type, issue, attempt, severity and message. */
  dedupeKey?: string;
  /** Names of the channels that may send it; left out: all. */
  channels?: readonly string[];
};

/**
 * Statements that write a notification and its event, for the batch of the change that causes it. A
 * duplicate writes neither. The issue is shown as it is after that batch.
 */
export function notify(db: Database, nowMs: number, input: NewNotification): Statement[] {
  const severity = severityOf(input.type);
  const message = cutText(input.message, MAX_MESSAGE_CHARS);
  const identifier = input.issue?.identifier ?? null;
  const dedupe =
    input.dedupeKey === undefined
      ? `same:${JSON.stringify([input.type, identifier, input.attempt, severity, message])}`
      : `key:${input.dedupeKey}`;
  const event: StoredEvent = {
    type: 'notification.created',
    atMs: nowMs,
    data: {
      notificationId: input.id,
      type: input.type,
      severity,
      message,
      identifier,
      attempt: input.attempt,
    },
  };
  return [
    db.run(sql`insert into notifications (notification_id, type, severity, message, issue, attempt,
        metadata, dedupe, dedupe_key, channels, created_at_ms)
      select ${input.id}, ${input.type}, ${severity}, ${message}, ${issueColumn(input)},
        ${input.attempt}, ${JSON.stringify(input.metadata ?? {})}, ${dedupe},
        ${input.dedupeKey ?? null}, ${input.channels === undefined ? null : JSON.stringify(input.channels)},
        ${nowMs}
      ${source(input)} not exists (select 1 from notifications n
        where n.dedupe = ${dedupe}
          and n.created_at_ms > ${nowMs - DUPLICATE_WINDOW_MS} and n.created_at_ms <= ${nowMs})
      on conflict (notification_id) do nothing`),
    ...appendEventIfWritten(db, event),
  ];
}

function issueColumn({ issue }: NewNotification): SQL {
  return issue === null
    ? sql`null`
    : sql`json_object('id', i.id, 'identifier', i.identifier, 'title', i.title, 'state', i.state, 'url', i.url)`;
}

function source({ issue }: NewNotification): SQL {
  return issue === null
    ? sql`where`
    : sql`from issues i where i.tracker = ${issue.tracker} and i.id = ${issue.id} and`;
}
