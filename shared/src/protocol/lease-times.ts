import {
  LEASE_GRACE_MS,
  LEASE_GUARD_MS,
  LEASE_TTL_MS,
  NOT_HELD_REQUEUE_MS,
  RENEW_MS,
} from './limits.ts';

/** With a shorter lease, a renewal that is a second or two late would lose it. */
export const MIN_LEASE_TTL_MS = 6_000;
export const MAX_LEASE_TTL_MS = 600_000;

/** The times of a lease in milliseconds, proportional to its length. */
export type LeaseTimes = {
  ttlMs: number;
  renewMs: number;
  graceMs: number;
  notHeldRequeueMs: number;
};

/** The times of a lease that lasts `ttlMs`; without an argument those of the default lease. */
export function leaseTimes(ttlMs: number = LEASE_TTL_MS): LeaseTimes {
  return {
    ttlMs,
    renewMs: inProportion(RENEW_MS, ttlMs),
    graceMs: inProportion(LEASE_GRACE_MS, ttlMs),
    notHeldRequeueMs: inProportion(NOT_HELD_REQUEUE_MS, ttlMs),
  };
}

/** How much earlier a runner treats a lease of `ttlMs` as expired than the control plane does. */
export function leaseGuardMs(ttlMs: number): number {
  return inProportion(LEASE_GUARD_MS, ttlMs);
}

function inProportion(defaultMs: number, ttlMs: number): number {
  return Math.round((defaultMs * ttlMs) / LEASE_TTL_MS);
}
