import type { Database, Statement } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';

/** The statement that inserts a new attempt, for the batch that claims its issue. */
export function insertAttempt(db: Database, row: typeof attempts.$inferInsert): Statement {
  return db.insert(attempts).values(row);
}
