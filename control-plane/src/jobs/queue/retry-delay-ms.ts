const BASE_MS = 2_000;
const MAX_MS = 300_000;

/** Delay after the n-th failure in a row, from 2 s doubling to 5 min, milliseconds. */
export function retryDelayMs(failures: number): number {
  return Math.min(BASE_MS * 2 ** Math.max(0, Math.min(failures, 30) - 1), MAX_MS);
}

/**
 * Earliest time for the next request by the other side's response, epoch milliseconds; 0 if not
 * given.
 */
export function retryAtMs(error: unknown): number {
  const wish = error instanceof Error && 'retryAtMs' in error ? error.retryAtMs : 0;
  return typeof wish === 'number' ? wish : 0;
}
