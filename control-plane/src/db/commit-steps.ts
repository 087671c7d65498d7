import { causesOf } from '@switchyard/shared/causes-of';
import { sql } from 'drizzle-orm';
import type { Database, Statement } from './database.ts';

/** A statement that must affect exactly so many rows, or nothing of the commit is stored. */
export type ExpectedRows = { expected: Statement; rows: number };

/** One step of a commit. */
export type Step = Statement | ExpectedRows;

/** A JSON path that is none, so that the error which aborts the batch carries a name of its own. */
const CONFLICT = 'conflict of expectRowsAffected';
const CONFLICT_MESSAGE = new RegExp(`JSON path[^']*'${CONFLICT}'`);

/** Makes a compare-and-swap of a statement: the whole commit is a conflict when it lost a race. */
export function expectRowsAffected(expected: Statement, rows = 1): ExpectedRows {
  return { expected, rows: Math.trunc(rows) };
}

/** Where steps are committed, and who tells those that follow events; left out: there are none. */
export type CommitDeps = { db: Database; events?: { notify(lastSeq: number): void } };

/**
 * Commits the steps in one batch and answers what its statements answered; null for a conflict:
 * a step did not affect the rows that were expected, and nothing is stored.
 */
export async function commitSteps(
  { db, events }: CommitDeps,
  steps: readonly Step[],
): Promise<unknown[] | null> {
  // A batch does not stop by itself when a compare-and-swap matches nothing: the rest would commit.
  const [first, ...rest] = steps.flatMap((step) =>
    'expected' in step ? [step.expected, checkRows(db, step.rows)] : [step],
  );
  if (first === undefined) return [];
  try {
    const results = await db.batch([first, ...rest]);
    events?.notify(0);
    return results;
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
 * Whether an error of a batch is a conflict. Reads only the errors of the driver itself: those
 * around them repeat parameters, which anybody may have written.
 */
export function isConflict(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const fromDriver = 'code' in cause && typeof cause.code === 'string';
    return fromDriver && CONFLICT_MESSAGE.test(cause.message);
  });
}
