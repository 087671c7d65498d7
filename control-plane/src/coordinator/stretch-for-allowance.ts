/** Down to this share of the tracker's allowance polls come as configured. */
const PLENTY = 0.5;
const MAX_STRETCH = 20;

/**
 * How much longer than configured the poll's interval is, so that what is left of the tracker's
 * allowance lasts: people and other programs live on it too. 1 where nothing is known.
 */
export function stretchForAllowance(left: number | null): number {
  if (left === null || left >= PLENTY) return 1;
  return Math.min(MAX_STRETCH, PLENTY / Math.max(left, PLENTY / MAX_STRETCH));
}
