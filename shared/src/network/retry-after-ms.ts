/**
 * How long a `Retry-After` header asks its reader to wait, milliseconds: it holds seconds or a date
 * (RFC 9110). Null when there is none that makes sense; never more than `maxMs`.
 */
export function retryAfterMs(header: string | null, nowMs: number, maxMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text) * 1_000, maxMs);
  const leftMs = Date.parse(text) - nowMs;
  return Number.isNaN(leftMs) ? null : Math.min(Math.max(0, leftMs), maxMs);
}
