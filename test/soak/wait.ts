import { setTimeout as delay } from 'node:timers/promises';

/** Waits, or less when the run is over meanwhile. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  // Being called away is how every wait of a run ends at last.
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
