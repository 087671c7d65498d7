import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { steers } from '../../db/schema/work/requests.ts';

type NewSteer = Pick<
  typeof steers.$inferInsert,
  'message_id' | 'attempt_id' | 'body' | 'actor' | 'created_at_ms'
>;

/** The statement that stores messages for an agent; those that are there already stay as they are. */
export function storeSteers(db: Database, messages: NewSteer[]): Statement {
  return db.insert(steers).values(messages).onConflictDoNothing();
}

/** The statement that notes which messages the engine of an attempt has shown. */
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

/** The statement that deletes those messages that no engine has shown. */
export function deleteUndelivered(db: Database, messageIds: string[]): Statement {
  return db
    .delete(steers)
    .where(and(inArray(steers.message_id, messageIds), isNull(steers.delivered_at_ms)));
}
