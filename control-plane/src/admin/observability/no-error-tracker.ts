import type { ErrorTracker } from '../../ports/ports.ts';

/** For a service without a DSN: nothing is kept and nothing is sent. */
export const noErrorTracker: ErrorTracker = {
  note: () => {},
  capture: () => {},
  flush: () => Promise.resolve(),
};
