import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';

/**
 * Value of `unroutable` for an issue that its tracker no longer returns: a code, since its text is
 * defined elsewhere.
 */
const GONE = 'tracker_gone' satisfies ReasonCode;
const BEFORE_WHY = `${GONE}: `;

/**
 * Value of `unroutable` for an issue that is gone; `why` is given if it is only not requested, for
 * people.
 */
export function goneFor(why: string | null): string {
  return why === null ? GONE : `${BEFORE_WHY}${why}`;
}

export function isGone(unroutable: string | null): boolean {
  return unroutable === GONE || whyGone(unroutable) !== null;
}

/** Why an issue is not requested from its tracker; null when it is requested, or is not gone. */
export function whyGone(unroutable: string | null): string | null {
  return unroutable?.startsWith(BEFORE_WHY) ? unroutable.slice(BEFORE_WHY.length) : null;
}

/**
 * Whether the issue was removed, archived or moved elsewhere when last synced, so that it needs
 * nobody here. What it waits for is kept, because trackers also hide issues temporarily, for
 * example without a permission.
 */
export function isOutOfSight({ unroutable, native_ref: ref }: OutOfSightColumns): boolean {
  return isGone(unroutable) || (unroutable !== null && ref === null);
}
type OutOfSightColumns = Pick<IssueRow, 'unroutable' | 'native_ref'>;

/** The opposite of `isOutOfSight` as an SQL condition. */
export const isInSight: SQL<number> = sql<number>`not (${or(
  sql`coalesce(${issues.unroutable}, '') like ${`${GONE}%`}`,
  and(isNotNull(issues.unroutable), isNull(issues.native_ref)),
)})`;
