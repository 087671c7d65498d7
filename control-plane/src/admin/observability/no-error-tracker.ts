import type { ErrorTracker } from '../../ports/ports.ts';

/** The error tracker of a service without a DSN: a no-op. */
export const noErrorTracker: ErrorTracker = {
  note: () => {},
  capture: () => {},
  flush: () => Promise.resolve(),
};
