/**
 * The delay that a `Retry-After` header asks for, milliseconds; its value is seconds or a date (RFC
 * 9110). Null without a valid header; never more than `maxMs`.
 */
export function retryAfterMs(header: string | null, nowMs: number, maxMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text) * 1_000, maxMs);
  const leftMs = Date.parse(text) - nowMs;
  return Number.isNaN(leftMs) ? null : Math.min(Math.max(0, leftMs), maxMs);
}
