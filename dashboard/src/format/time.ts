const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * A duration in short form: `0.4s`, `12s`, `3m 05s`, `2h 04m`, `3d 4h`. A negative one counts as
 * zero.
 */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  if (ms < 950) return `${(ms / SECOND_MS).toFixed(1)}s`;
  const seconds = Math.floor(ms / SECOND_MS);
  if (ms < MINUTE_MS) return `${Math.max(1, seconds)}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ${two(seconds % 60)}s`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}h ${two(Math.floor(ms / MINUTE_MS) % 60)}m`;
  return `${Math.floor(ms / DAY_MS)}d ${Math.floor(ms / HOUR_MS) % 24}h`;
}

/** Text for an invalid time. */
export const NO_TIME = 'unknown';

/**
 * A time relative to now: `just now`, `4m ago`, `in 30s`. Coarse on purpose, since the exact time
 * belongs in a title.
 */
export function formatRelative(atMs: number, nowMs: number): string {
  const distance = atMs - nowMs;
  const size = Math.abs(distance);
  if (Number.isNaN(size)) return NO_TIME;
  if (size < 5 * SECOND_MS) return distance > 0 ? 'in a moment' : 'just now';
  const text = coarse(size);
  return distance > 0 ? `in ${text}` : `${text} ago`;
}

/** How far times from trackers, runners and disks may be ahead of the service's clock. */
const FOREIGN_CLOCK_MS = 10 * MINUTE_MS;

/**
 * A past time relative to now; one that a fast clock puts slightly ahead is shown as `just now`.
 */
export function formatPast(atMs: number, nowMs: number): string {
  const isAhead = atMs > nowMs && atMs - nowMs < FOREIGN_CLOCK_MS;
  return formatRelative(isAhead ? nowMs : atMs, nowMs);
}

/** A due time relative to now: `in 30s`, and `now` once it has passed. */
export function formatDue(atMs: number, nowMs: number): string {
  return atMs <= nowMs ? 'now' : formatRelative(atMs, nowMs);
}

function coarse(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}h`;
  return `${Math.floor(ms / DAY_MS)}d`;
}

/** A time of day in the reader's zone, `14:03:09`. */
export function formatClock(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

/**
 * Date and time in the reader's zone for titles, `2026-11-21 14:03:09`. A page has many of them,
 * and the browser's own formatter needs tens of milliseconds to load.
 */
export function formatDateTime(atMs: number): string {
  const date = new Date(atMs);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${formatClock(atMs)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
