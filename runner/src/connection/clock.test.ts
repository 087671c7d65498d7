import { describe, expect, it } from 'vitest';
import { withTimeLimit } from './clock.ts';
import { FakeClock } from './testing/fake-clock.ts';

describe('work under a time limit', () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => resolve(String(signal.reason)), { once: true });
    });
  const never = new AbortController().signal;

  it('is told when its time is over, by the clock it was given', async () => {
    const clock = new FakeClock();
    const told = withTimeLimit(clock, { limitMs: 60_000, signal: never }, untilAborted);
    await clock.advance(60_000);
    expect(await told).toBe('TimeoutError: not done within 60000 ms');
  });

  it('is told when whoever wanted it has gone', async () => {
    const gone = new AbortController();
    const limit = { limitMs: 60_000, signal: gone.signal };
    const told = withTimeLimit(new FakeClock(), limit, untilAborted);
    gone.abort('gone');
    expect(await told).toBe('gone');
  });

  it('leaves no timer behind, however it ends', async () => {
    let open = 0;
    const clock = new FakeClock();
    const counting = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      after: () => {
        open += 1;
        return () => void (open -= 1);
      },
    };
    const limit = { limitMs: 1, signal: never };
    await withTimeLimit(counting, limit, () => Promise.resolve());
    const failing = withTimeLimit(counting, limit, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(open).toBe(0);
  });
});
