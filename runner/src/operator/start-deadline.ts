import type { Clock } from '../connection/clock.ts';
import { TestFailed } from './test-failed.ts';

/**
 * Awaits work of a test turn; rejects with `TestFailed` when the test's time is over or nobody
 * waits for the test any more.
 */
export type Race = <T>(work: Promise<T>) => Promise<T>;

/** Starts the time limit of a test turn; it also ends when `signal` aborts. */
export function startDeadline(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
): { race: Race; clear(): void } {
  let clear = (): void => undefined;
  const over = new Promise<never>((_resolve, reject) => {
    const give = (message: string) => () => reject(new TestFailed('timed_out', message));
    const abandoned = give('nobody waits for the test any more');
    const cancel = clock.after(timeoutMs, give(`the test did not end within ${timeoutMs} ms`));
    signal.addEventListener('abort', abandoned, { once: true });
    if (signal.aborted) abandoned();
    clear = () => {
      cancel();
      signal.removeEventListener('abort', abandoned);
    };
  });
  over.catch(() => undefined);
  return { race: (work) => Promise.race([work, over]), clear: () => clear() };
}
