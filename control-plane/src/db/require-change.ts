import { sql } from 'drizzle-orm';
import type { Database, Statement } from './database.ts';

/**
 * Aborts the whole batch unless the statement right before it changed exactly one row. A batch does
 * not stop by itself when a compare-and-swap matches nothing: the rest would still commit.
 */
export function requireChange(db: Database): Statement {
  return db.run(sql`select json_extract(case when changes() = 1 then '{}' else 'FENCED' end, '$')`);
}

/** Whether an error of `batch` means that a `requireChange` did not hold. */
export function isFenced(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/malformed JSON/i.test(cause.message)) return true;
  }
  return false;
}
