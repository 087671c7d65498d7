import { sql } from 'drizzle-orm';
import type { Database, Statement } from './database.ts';

/** A JSON path that is none, so that the error which aborts the batch carries a name of its own. */
const FENCED = 'fenced by requireChange';
const FENCED_MESSAGE = new RegExp(`JSON path[^']*'${FENCED}'`);

/**
 * Aborts the whole batch unless the statement right before it changed exactly one row, or as many as
 * said. A batch does not stop by itself when a compare-and-swap matches nothing: the rest would still commit.
 */
export function requireChange(db: Database, rows = 1): Statement {
  const held = sql.raw(`changes() = ${Math.trunc(rows)}`);
  return db.run(
    sql`select json_extract('{}', case when ${held} then '$' else ${sql.raw(`'${FENCED}'`)} end)`,
  );
}

/**
 * Whether an error of `batch` means that a `requireChange` did not hold. Only the driver's own
 * errors are read: those around them repeat parameters, which are anybody's words.
 */
export function isFenced(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const fromDriver = 'code' in cause && typeof cause.code === 'string';
    if (fromDriver && FENCED_MESSAGE.test(cause.message)) return true;
  }
  return false;
}
