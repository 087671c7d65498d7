import type { MonotonicClock } from '../../ports/ports.ts';

/** The clocks of this machine. */
export const systemClock: MonotonicClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
