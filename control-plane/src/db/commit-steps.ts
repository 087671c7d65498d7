import { causesOf } from '@switchyard/shared/causes-of';
import { sql } from 'drizzle-orm';
import type { Database, Statement } from './database.ts';

/** A statement that must affect exactly `rows` rows; otherwise the commit is a conflict. */
export type ExpectedRows = { expected: Statement; rows: number };

/** One step of a commit. */
export type Step = Statement | ExpectedRows;

/** An invalid JSON path, so that the error that aborts the batch has a recognisable text. */
const CONFLICT = 'conflict of expectRowsAffected';
const CONFLICT_MESSAGE = new RegExp(`JSON path[^']*'${CONFLICT}'`);

/**
 * Turns a statement into a compare-and-swap: the whole commit is a conflict if it affects another
 * number of rows.
 */
export function expectRowsAffected(expected: Statement, rows = 1): ExpectedRows {
  return { expected, rows: Math.trunc(rows) };
}

/**
 * Commits the steps in one batch, notifies the event streams and returns the results of its
 * statements; null for a conflict: a step affected an unexpected number of rows, and nothing is
 * stored.
 */
export async function commitSteps(db: Database, steps: readonly Step[]): Promise<unknown[] | null> {
  const results = await commitSilently(db, steps);
  if (results !== null && results.length > 0) db.notify?.();
  return results;
}

/** Like `commitSteps` for rows that no event tells of: the event streams are not notified. */
export async function commitSilently(
  db: Database,
  steps: readonly Step[],
): Promise<unknown[] | null> {
  // A batch does not stop when a compare-and-swap matches nothing, so a failing check follows each.
  const [first, ...rest] = steps.flatMap((step) =>
    'expected' in step ? [step.expected, checkRows(db, step.rows)] : [step],
  );
  if (first === undefined) return [];
  try {
    return await db.batch([first, ...rest]);
  } catch (error) {
    if (isConflict(error)) return null;
    throw error;
  }
}

function checkRows(db: Database, rows: number): Statement {
  const held = sql.raw(`changes() = ${rows}`);
  return db.run(
    sql`select json_extract('{}', case when ${held} then '$' else ${sql.raw(`'${CONFLICT}'`)} end)`,
  );
}

/**
 * Whether an error of a batch is a conflict. Only the driver's own error is read: outer errors
 * repeat parameters, which may contain any text.
 */
export function isConflict(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const fromDriver = 'code' in cause && typeof cause.code === 'string';
    return fromDriver && CONFLICT_MESSAGE.test(cause.message);
  });
}
