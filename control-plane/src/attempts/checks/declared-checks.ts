import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import type { Database } from '../../db/database.ts';
import type { AttemptCheckRow } from '../../db/schema/work/attempt-checks.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { checksOfAttempt } from './queries.ts';

const NOT_COME_TO = 'The attempt ended before this check.';
const CUT_OFF = 'The attempt ended while this check ran.';

type Checked = Pick<AttemptRow, 'attempt_id' | 'spec' | 'status' | 'epoch' | 'released_at_ms'>;

/**
 * The checks that an attempt's specification declares, in order, each with its last run. Reads
 * nothing if no checks are declared.
 */
export async function declaredChecks(db: Database, attempt: Checked): Promise<AttemptCheck[]> {
  const declared = attempt.spec.checks ?? [];
  if (declared.length === 0) return [];
  const rows = await checksOfAttempt(db, attempt.attempt_id);
  // Results of the last lease only; its end may have raised the epoch by one.
  const ofLease = rows.filter(({ epoch }) => attempt.epoch - epoch <= (isOver(attempt) ? 1 : 0));
  const byName = new Map(ofLease.map((row) => [row.name, row]));
  return declared.map(({ name, command }) => ({
    name,
    command,
    ...outcomeOf(byName.get(name), attempt),
  }));
}

function outcomeOf(
  row: AttemptCheckRow | undefined,
  attempt: Checked,
): Omit<AttemptCheck, 'name' | 'command'> {
  const mayRun = !isOver(attempt);
  if (row === undefined) {
    return {
      runs: 0,
      exitCode: null,
      durationMs: null,
      output: null,
      changedFiles: [],
      commitSha: null,
      startedAt: null,
      endedAt: null,
      ...(mayRun
        ? { state: 'pending', message: null }
        : { state: 'not_run', message: NOT_COME_TO }),
    };
  }
  const isCutOff = row.state === 'running' && !mayRun;
  return {
    runs: row.run,
    exitCode: row.exit_code,
    durationMs: row.duration_ms,
    output: row.output,
    changedFiles: row.changed_files ?? [],
    commitSha: row.commit_sha,
    ...(isCutOff
      ? { state: 'not_run', message: CUT_OFF }
      : { state: row.state, message: row.message }),
    startedAt: iso(row.started_at_ms),
    endedAt: iso(row.ended_at_ms),
  };
}

/** Whether the attempt's runner has nothing more to do for it. */
function isOver({ status, released_at_ms: releasedAtMs }: Checked): boolean {
  return status !== 'queued' && (status !== 'running' || releasedAtMs !== null);
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
