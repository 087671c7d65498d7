import type { MonotonicClock } from '../../ports.ts';

/** The machine's clocks. */
export const systemClock: MonotonicClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
