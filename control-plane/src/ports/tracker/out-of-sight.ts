import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';

/** `unroutable` of an issue that its tracker does not show any more: a code, since it has words of its own. */
const GONE = 'tracker_gone' satisfies ReasonCode;
const BEFORE_WHY = `${GONE}: `;

/** What `unroutable` is of an issue that is gone; `why`: it is only not asked for, in words. */
export function goneFor(why: string | null): string {
  return why === null ? GONE : `${BEFORE_WHY}${why}`;
}

export function isGone(unroutable: string | null): boolean {
  return unroutable === GONE || whyGone(unroutable) !== null;
}

/** Why it is not asked for; null: it was asked for and is gone, or is not gone. */
export function whyGone(unroutable: string | null): string | null {
  return unroutable?.startsWith(BEFORE_WHY) ? unroutable.slice(BEFORE_WHY.length) : null;
}

/**
 * Whether the issue is gone, archived or at another place, as its tracker said last. Then it needs nobody
 * here. What it waits for is kept: trackers hide issues for a while too, for example for want of a permission.
 */
export function isOutOfSight({ unroutable, native_ref: ref }: OutOfSightColumns): boolean {
  return isGone(unroutable) || (unroutable !== null && ref === null);
}
type OutOfSightColumns = Pick<IssueRow, 'unroutable' | 'native_ref'>;

/** The opposite as a condition of the database. */
export const isInSight: SQL<number> = sql<number>`not (${or(
  sql`coalesce(${issues.unroutable}, '') like ${`${GONE}%`}`,
  and(isNotNull(issues.unroutable), isNull(issues.native_ref)),
)})`;
