import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import type { Database } from '../../db/database.ts';
import type { AttemptCheckRow } from '../../db/schema/work/attempt-checks.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { checksOfAttempt } from './queries.ts';

const NOT_COME_TO = 'The attempt ended before this check.';
const CUT_OFF = 'The attempt ended while this check ran.';

type Checked = Pick<AttemptRow, 'attempt_id' | 'spec' | 'status' | 'epoch' | 'released_at_ms'>;

/**
 * The checks that an attempt's specification declares, in their order, each with its last run. Reads
 * nothing where none are declared.
 */
export async function declaredChecks(db: Database, attempt: Checked): Promise<AttemptCheck[]> {
  const declared = attempt.spec.checks ?? [];
  if (declared.length === 0) return [];
  const rows = await checksOfAttempt(db, attempt.attempt_id);
  const byName = new Map(rows.map((row) => [row.name, row]));
  return declared.map(({ name, command }) => ({
    ...{ name, command },
    ...outcomeOf(byName.get(name), attempt),
  }));
}

function outcomeOf(
  row: AttemptCheckRow | undefined,
  { status, epoch, released_at_ms: releasedAtMs }: Checked,
): Omit<AttemptCheck, 'name' | 'command'> {
  const mayRun = status === 'queued' || (status === 'running' && releasedAtMs === null);
  const isCutOff = row?.state === 'running' && !mayRun;
  // A new lease begins anew.
  if (row === undefined || (mayRun && row.epoch !== epoch)) {
    return {
      ...{ runs: 0, exitCode: null, durationMs: null, output: null, changedFiles: [] },
      ...{ commitSha: null, startedAt: null, endedAt: null },
      ...(mayRun
        ? { state: 'pending', message: null }
        : { state: 'not_run', message: NOT_COME_TO }),
    };
  }
  return {
    ...{ runs: row.run, exitCode: row.exit_code, durationMs: row.duration_ms, output: row.output },
    ...{ changedFiles: row.changed_files ?? [], commitSha: row.commit_sha },
    ...(isCutOff
      ? { state: 'not_run', message: CUT_OFF }
      : { state: row.state, message: row.message }),
    ...{ startedAt: iso(row.started_at_ms), endedAt: iso(row.ended_at_ms) },
  };
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
