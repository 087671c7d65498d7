import { getTableColumns, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';
import { plainLine, plainText } from '@switchyard/shared/text/plain-text';
import type { Database, Statement } from '../../db/database.ts';
import { type AttemptCheckRow, attemptChecks } from '../../db/schema/work/attempt-checks.ts';

export type ReportedCheck = z.infer<typeof AttemptEventPayload.check> & {
  /** When the check began or ended by the runner's clock, epoch milliseconds. */
  atMs: number;
};

/** Upper bound of a check's duration, against a wrong clock. */
const MAX_DURATION_MS = 86_400_000;

/**
 * The statement that stores the last run of a declared check. A check that the attempt's
 * specification does not declare makes it a no-op.
 */
export function storeCheck(
  db: Database,
  attempt: { attempt_id: string; epoch: number },
  reported: ReportedCheck,
  nowMs: number,
): Statement {
  const { name } = reported;
  const row = {
    attempt_id: attempt.attempt_id,
    name,
    epoch: attempt.epoch,
    ...standing(reported, nowMs),
  };
  const columns = Object.keys(getTableColumns(attemptChecks)) as (keyof AttemptCheckRow)[];
  const values = columns.map((column) => sql`${encoded(row[column])}`);
  const { attempt_id: _, name: __, ...now } = row;
  return db
    .insert(attemptChecks)
    .select(
      sql`select ${sql.join(values, sql`, `)} where exists (
        select 1 from attempts, json_each(attempts.spec, '$.checks')
        where attempts.attempt_id = ${row.attempt_id} and json_each.value ->> '$.name' = ${name})`,
    )
    .onConflictDoUpdate({ target: [attemptChecks.attempt_id, attemptChecks.name], set: now });
}

function standing(
  check: ReportedCheck,
  nowMs: number,
): Omit<AttemptCheckRow, 'attempt_id' | 'name' | 'epoch'> {
  const run = { commit_sha: check.commitSha, run: check.run };
  const atMs = Math.round(Math.min(Math.max(check.atMs, 0), nowMs));
  if (check.state === 'started') {
    return {
      ...run,
      state: 'running',
      started_at_ms: atMs,
      ended_at_ms: null,
      exit_code: null,
      duration_ms: null,
      output: null,
      changed_files: null,
      message: null,
    };
  }
  const durationMs = Math.round(Math.min(check.durationMs, MAX_DURATION_MS));
  return {
    ...run,
    state: check.result,
    started_at_ms: atMs - durationMs,
    ended_at_ms: atMs,
    exit_code: check.exitCode,
    duration_ms: durationMs,
    output: plainText(check.output),
    changed_files: check.changedFiles?.map(plainLine) ?? null,
    message: check.message === undefined ? null : plainLine(check.message),
  };
}

/** A column's value for SQL: lists as JSON. */
function encoded(value: AttemptCheckRow[keyof AttemptCheckRow]): string | number | null {
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
