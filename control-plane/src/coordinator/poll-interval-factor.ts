/** Down to this share of the tracker's allowance polls come as configured. */
const PLENTY = 0.5;
const MAX_FACTOR = 20;

/**
 * How much longer than configured the poll's interval is, so that what is left of the tracker's
 * allowance lasts: people and other programs live on it too. 1 where nothing is known.
 */
export function pollIntervalFactor(left: number | null): number {
  if (left === null || left >= PLENTY) return 1;
  return Math.min(MAX_FACTOR, PLENTY / Math.max(left, PLENTY / MAX_FACTOR));
}
