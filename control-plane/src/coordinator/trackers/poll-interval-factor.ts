/**
 * While at least this share of the tracker's rate limit is left, polls follow the configured
 * interval.
 */
const PLENTY = 0.5;
const MAX_FACTOR = 20;

/**
 * Factor by which the poll interval is lengthened so that the tracker's rate limit lasts, which
 * people and other programs use as well. 1 when the remaining share is unknown.
 */
export function pollIntervalFactor(left: number | null): number {
  if (left === null || left >= PLENTY) return 1;
  return Math.min(MAX_FACTOR, PLENTY / Math.max(left, PLENTY / MAX_FACTOR));
}
