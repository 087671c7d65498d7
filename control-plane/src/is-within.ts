/**
 * Whether `sinceMs` is less than `spanMs` ago. A future time is not: the clock was set back, and
 * waiting for it could take long.
 */
export function isWithin(nowMs: number, sinceMs: number, spanMs: number): boolean {
  const agoMs = nowMs - sinceMs;
  return agoMs >= 0 && agoMs < spanMs;
}
