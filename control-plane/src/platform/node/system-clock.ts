import type { MonotonicClock } from '../../ports/ports.ts';

/** The machine's clocks. */
export const systemClock: MonotonicClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
