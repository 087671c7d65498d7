import { describe, expect, it } from 'vitest';
import { leaseGuardMs, leaseTimes, MIN_LEASE_TTL_MS } from './lease-times.ts';
import { LEASE_GRACE_MS, LEASE_GUARD_MS, NOT_HELD_REQUEUE_MS, RENEW_MS } from './limits.ts';

describe('the times of a lease', () => {
  it('are the default ones unless told otherwise', () => {
    expect(leaseTimes()).toEqual({
      ttlMs: 90_000,
      renewMs: RENEW_MS,
      graceMs: LEASE_GRACE_MS,
      notHeldRequeueMs: NOT_HELD_REQUEUE_MS,
    });
    expect(leaseGuardMs(90_000)).toBe(LEASE_GUARD_MS);
  });

  it('keep their proportions in the shortest lease', () => {
    const { ttlMs, renewMs, graceMs } = leaseTimes(MIN_LEASE_TTL_MS);
    expect({ ttlMs, renewMs, graceMs }).toEqual({ ttlMs: 6_000, renewMs: 1_000, graceMs: 667 });
    // Several renewals must fit in before the runner gives up by itself.
    expect(ttlMs - leaseGuardMs(ttlMs)).toBeGreaterThanOrEqual(5 * renewMs);
  });
});
