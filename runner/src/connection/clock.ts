import { readFileSync } from 'node:fs';

const MAX_TIMER_MS = 2 ** 31 - 1;

/** The runner's clock, injected everywhere so that no test has to sleep. */
export interface Clock {
  /** Wall time, epoch milliseconds: for people, never for deadlines. */
  nowMs(): number;
  /**
   * Milliseconds that never decrease; they include the sleep of a suspended host where it reports
   * that.
   */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

function bootTimeMs(): number {
  const seconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]);
  if (!Number.isFinite(seconds)) throw new Error('/proc/uptime is not readable as a number');
  return seconds * 1_000;
}

/**
 * A monotonic time that includes suspension: Node's own clock stops then, and the wall clock's
 * advance is added.
 */
function suspendAwareMs(): () => number {
  let lastMonoMs = performance.now();
  let lastWallMs = Date.now();
  let sleptMs = 0;
  return () => {
    const monoMs = performance.now();
    const wallMs = Date.now();
    const jumpMs = wallMs - lastWallMs - (monoMs - lastMonoMs);
    if (jumpMs > 5_000) sleptMs += jumpMs;
    lastMonoMs = monoMs;
    lastWallMs = wallMs;
    return monoMs + sleptMs;
  };
}

export function systemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    monotonicMs: process.platform === 'linux' ? bootTimeMs : suspendAwareMs(),
    after: (delayMs, run) => {
      let timer: NodeJS.Timeout;
      // Long timers are split, because Node fires them at once.
      const wait = (leftMs: number) => {
        const next = leftMs > MAX_TIMER_MS ? () => wait(leftMs - MAX_TIMER_MS) : run;
        timer = setTimeout(next, Math.min(leftMs, MAX_TIMER_MS));
      };
      wait(delayMs);
      return () => clearTimeout(timer);
    },
  };
}

/** Runs `work` with a signal that aborts when `signal` does, or after `limitMs`. */
export async function withTimeLimit<T>(
  clock: Clock,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const cancel = clock.after(limitMs, () =>
    over.abort(new DOMException(`not done within ${limitMs} ms`, 'TimeoutError')),
  );
  try {
    return await work(AbortSignal.any([signal, over.signal]));
  } finally {
    cancel();
  }
}

/** Resolves after `delayMs` or as soon as the signal aborts; never rejects. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
