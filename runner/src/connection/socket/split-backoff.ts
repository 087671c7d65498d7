const RECONNECT_BASE_MS = 500;
export const RECONNECT_CAP_MS = 30_000;

/** Size of the window in which try `failures` (from 0) happens: 0.5 s, 1 s, 2 s … 30 s. */
function windowMs(failures: number): number {
  return Math.min(RECONNECT_CAP_MS, RECONNECT_BASE_MS * 2 ** Math.min(failures, 20));
}

/**
 * Full jitter: the try is at a random time in its window, and the rest of the window is waited
 * afterwards, so that each runner tries once per window, spread evenly.
 */
export function splitBackoff(
  failures: number,
  random: () => number,
): { beforeMs: number; afterMs: number } {
  const size = windowMs(failures);
  const beforeMs = Math.floor(random() * size);
  return { beforeMs, afterMs: size - beforeMs };
}
