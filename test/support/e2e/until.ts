import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 60;

/** Looks again and again until `done` says so. Throws after `timeoutMs` with what was seen last. */
export async function until<T>(
  look: () => T | Promise<T>,
  done: (value: T) => boolean,
  options: { what: string; timeoutMs: number },
): Promise<T> {
  const endMs = performance.now() + options.timeoutMs;
  for (;;) {
    const value = await look();
    if (done(value)) return value;
    if (performance.now() > endMs) {
      const seen = JSON.stringify(value)?.slice(0, 4_000);
      throw new Error(`${options.what}: not within ${options.timeoutMs} ms; seen last: ${seen}`);
    }
    await delay(POLL_MS);
  }
}
