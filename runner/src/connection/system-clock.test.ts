import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';

const DAY_MS = 86_400_000;

describe('the timers of the system clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('last as long as they are set for, also past 2^31-1 ms, and can be taken back', () => {
    let rung = 0;
    systemClock().after(60 * DAY_MS, () => (rung += 1));
    const cancel = systemClock().after(60 * DAY_MS, () => (rung += 1));
    vi.advanceTimersByTime(30 * DAY_MS);
    cancel();
    vi.advanceTimersByTime(30 * DAY_MS - 1);
    expect(rung).toBe(0);
    vi.advanceTimersByTime(1);
    expect(rung).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
