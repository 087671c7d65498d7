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
