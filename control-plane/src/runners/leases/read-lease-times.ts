import {
  type LeaseTimes,
  leaseTimes,
  MAX_LEASE_TTL_MS,
  MIN_LEASE_TTL_MS,
} from '@switchyard/shared/protocol/lease-times';

const VARIABLE = 'SERVICE_RUNNER_LEASE_TTL_MS';

/**
 * The duration of runners' leases in milliseconds, from the environment or the default; other times
 * derive from it. Throws unless it is a whole number within the limits.
 */
export function readLeaseTimes(env: Readonly<Record<string, string | undefined>>): LeaseTimes {
  const text = env[VARIABLE] ?? '';
  if (text === '') return leaseTimes();
  const ttlMs = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(ttlMs >= MIN_LEASE_TTL_MS && ttlMs <= MAX_LEASE_TTL_MS)) {
    throw new Error(
      `${VARIABLE} is a whole number from ${MIN_LEASE_TTL_MS} to ${MAX_LEASE_TTL_MS}`,
    );
  }
  return leaseTimes(ttlMs);
}
