import { and, eq, inArray, type SQL } from 'drizzle-orm';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';

/**
 * Condition that holds while the attempt is still queued or running under the epoch that was read.
 * Whoever takes an attempt away from its lease does so under it; `onlyIf` must hold as well.
 */
export function underLiveLease(
  attempt: Pick<AttemptRow, 'attempt_id' | 'epoch'>,
  onlyIf?: SQL,
): SQL | undefined {
  return and(
    eq(attempts.attempt_id, attempt.attempt_id),
    eq(attempts.epoch, attempt.epoch),
    inArray(attempts.status, ['queued', 'running']),
    onlyIf,
  );
}
