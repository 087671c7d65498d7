import type { Database } from '../../db/database.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { type CheckStanding, failedChecks } from './decide.ts';
import { checksOfAttempt } from './queries.ts';

/**
 * Names of the declared checks that an attempt's work failed, under the given lease or on the given
 * commit. Reads nothing if no checks are declared.
 */
export async function checksFailed(
  db: Database,
  attempt: Pick<AttemptRow, 'attempt_id' | 'spec'>,
  of: { epoch: number; commitSha: string | null },
): Promise<string[]> {
  const declared = attempt.spec.checks ?? [];
  if (declared.length === 0) return [];
  const rows: CheckStanding[] = await checksOfAttempt(db, attempt.attempt_id);
  return failedChecks(declared, rows, of);
}
