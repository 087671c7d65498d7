import { cutText } from '@switchyard/shared/text/cut-text';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { steers } from '../../db/schema/work/requests.ts';
import { appendEvents } from '../../observe/events/append-events.ts';

type NewSteer = Pick<
  typeof steers.$inferInsert,
  'message_id' | 'attempt_id' | 'body' | 'actor' | 'created_at_ms' | 'delivered_at_ms'
>;

/** The statement that stores messages for an agent; those already stored stay as they are. */
export function storeSteers(db: Database, messages: NewSteer[]): Statement {
  return db.insert(steers).values(messages).onConflictDoNothing();
}

/**
 * Characters of a message that the log shows before its delivery; the engine's event has the full
 * text.
 */
const SHOWN_CHARS = 4_000;

/**
 * As `storeSteers`, for a running attempt: its log shows the messages before the agent has received
 * them.
 */
export function sendSteers(
  db: Database,
  nowMs: number,
  attempt: Pick<AttemptRow, 'attempt_id' | 'identifier' | 'epoch'>,
  messages: readonly { messageId: string; text: string; actor: string }[],
): Statement[] {
  const { attempt_id: attemptId, identifier, epoch } = attempt;
  const rows = messages.map(({ messageId, text, actor }) => ({
    message_id: messageId,
    attempt_id: attemptId,
    body: text,
    actor,
    created_at_ms: nowMs,
  }));
  const events = messages.map(({ text, ...message }) => {
    const data = { attemptId, identifier, ...message, text: cutText(text, SHOWN_CHARS) };
    return { type: 'attempt.message' as const, atMs: nowMs, data };
  });
  const origin = { attemptId, epoch, fromRunnerSeq: null };
  return [storeSteers(db, rows), ...appendEvents(db, nowMs, events, origin)];
}

/** The statement that marks the messages which the engine of an attempt has shown to its agent. */
export function confirmSteers(
  db: Database,
  nowMs: number,
  { attemptId, messageIds }: { attemptId: string; messageIds: string[] },
): Statement {
  return db
    .update(steers)
    .set({ delivered_at_ms: nowMs })
    .where(and(eq(steers.attempt_id, attemptId), inArray(steers.message_id, messageIds)));
}

/** The statement that deletes those of the messages that no engine has shown to an agent. */
export function deleteUndelivered(db: Database, messageIds: string[]): Statement {
  return db
    .delete(steers)
    .where(and(inArray(steers.message_id, messageIds), isNull(steers.delivered_at_ms)));
}
