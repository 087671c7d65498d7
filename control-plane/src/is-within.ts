/**
 * Whether `sinceMs` is less than `spanMs` ago. A time that is yet to come is not: the clock was set
 * back, and what waits for it would wait for as long.
 */
export function isWithin(nowMs: number, sinceMs: number, spanMs: number): boolean {
  const agoMs = nowMs - sinceMs;
  return agoMs >= 0 && agoMs < spanMs;
}
