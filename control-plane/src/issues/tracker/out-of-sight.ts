import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';

/** `unroutable` of an issue that its tracker does not show any more: a code, since it has words of its own. */
export const GONE = 'tracker_gone' satisfies ReasonCode;

/**
 * Whether the issue is gone, archived or at another place, as its tracker said last. Then it needs nobody
 * here. What it waits for is kept: trackers hide issues for a while too, for example for want of a permission.
 */
export function isOutOfSight({ unroutable, native_ref: ref }: OutOfSightColumns): boolean {
  return unroutable === GONE || (unroutable !== null && ref === null);
}
type OutOfSightColumns = Pick<IssueRow, 'unroutable' | 'native_ref'>;

/** The opposite as a condition of the database. */
export const isInSight: SQL<number> = sql<number>`not (${or(
  sql`${issues.unroutable} is ${GONE}`,
  and(isNotNull(issues.unroutable), isNull(issues.native_ref)),
)})`;
