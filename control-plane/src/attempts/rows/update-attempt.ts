import { and, eq, type SQL } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import type { Database, Statement } from '../../db/database.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';

export type AttemptChange = Omit<SQLiteUpdateSetSource<typeof attempts>, 'attempt_id'>;

/** The statement that changes an attempt, if it has the epoch that was read and `onlyIf` holds. */
export function updateAttempt(
  db: Database,
  attempt: Pick<AttemptRow, 'attempt_id' | 'epoch'>,
  change: AttemptChange,
  onlyIf?: SQL,
): Statement {
  return db
    .update(attempts)
    .set(change)
    .where(
      and(eq(attempts.attempt_id, attempt.attempt_id), eq(attempts.epoch, attempt.epoch), onlyIf),
    );
}

/** The statement that inserts a new attempt, for the batch that claims its issue. */
export function insertAttempt(db: Database, row: typeof attempts.$inferInsert): Statement {
  return db.insert(attempts).values(row);
}

/** The statement that stores an attempt's total usage, whichever runner holds it. */
export function setAttemptUsage(
  db: Database,
  attemptId: string,
  used: { tokens?: SQL; cost_usd: SQL | number | null; unpriced_tokens: SQL | number },
): Statement {
  return db.update(attempts).set(used).where(eq(attempts.attempt_id, attemptId));
}
