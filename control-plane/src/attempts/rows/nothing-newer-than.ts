import { and, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { attemptChecks } from '../../db/schema/work/attempt-checks.ts';
import { requests, steers } from '../../db/schema/work/requests.ts';

/**
 * Condition that an attempt is unchanged and that a late end of its former lease would override
 * nothing newer: no other runner delivers or may push, and no person's message or answer is unknown
 * to the former agent.
 */
export function nothingNewerThan({
  attempt_id: attemptId,
  granted_at_ms: grantedAtMs,
  former_epoch: formerEpoch,
  spec,
  status,
}: Pick<AttemptRow, 'attempt_id' | 'granted_at_ms' | 'former_epoch' | 'spec' | 'status'>):
  | SQL
  | undefined {
  // Null while the attempt is queued: then only undelivered messages are newer.
  const sinceGrant = (column: typeof steers.delivered_at_ms | typeof requests.answered_at_ms) =>
    grantedAtMs === null ? sql`false` : sql`${column} >= ${grantedAtMs}`;
  return and(
    eq(attempts.status, status),
    or(isNull(attempts.phase), ne(attempts.phase, 'delivering')),
    sql`not exists (select 1 from ${steers} where ${steers.attempt_id} = ${attemptId}
      and (${steers.delivered_at_ms} is null or ${sinceGrant(steers.delivered_at_ms)}))`,
    sql`not exists (select 1 from ${requests} where ${requests.attempt_id} = ${attemptId}
      and ${sinceGrant(requests.answered_at_ms)})`,
    // Check results of a newer lease would have replaced those of the former one.
    (spec.checks ?? []).length === 0
      ? undefined
      : sql`not exists (select 1 from ${attemptChecks} where ${attemptChecks.attempt_id} = ${attemptId}
        and ${attemptChecks.epoch} > ${formerEpoch})`,
  );
}
