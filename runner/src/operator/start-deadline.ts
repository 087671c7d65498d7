import type { Clock } from '../connection/clock.ts';
import { TestFailed } from './test-failed.ts';

/** Work of a test turn, given up when the test's time is over; then it rejects with `TestFailed`. */
export type Race = <T>(work: Promise<T>) => Promise<T>;

/** Begins the time of a test turn; it also ends when `signal` aborts. */
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
