import type { AttemptStatus } from '@switchyard/shared/api/work/attempt';
import type { FenceCode } from '@switchyard/shared/protocol/messages';

/** The columns of an attempt that decide a runner's claim on it. */
export type LeaseView = {
  status: AttemptStatus;
  epoch: number;
  runnerId: string | null;
  released: boolean;
};

export type Claim = { epoch: number; runnerId: string };

export type ClaimVerdict =
  | { kind: 'keep' }
  | { kind: 'offered' }
  | { kind: 'stop'; code: FenceCode };

/**
 * Whether a runner may continue an attempt that it lists as held. `stop` is returned only for a
 * proven mismatch; a database error never counts as one.
 */
export function judgeClaim(lease: LeaseView | null, claim: Claim): ClaimVerdict {
  if (lease === null) return { kind: 'stop', code: 'UNKNOWN_ATTEMPT' };
  const terminal = lease.status !== 'queued' && lease.status !== 'running';
  if (terminal) return { kind: 'stop', code: 'ATTEMPT_TERMINAL' };
  if (lease.epoch !== claim.epoch || lease.runnerId !== claim.runnerId) {
    return { kind: 'stop', code: 'LEASE_LOST' };
  }
  if (lease.released) return { kind: 'stop', code: 'ATTEMPT_TERMINAL' };
  return lease.status === 'queued' ? { kind: 'offered' } : { kind: 'keep' };
}

/** The labels that a runner may use: those it claims, limited to those its join token allows. */
export function narrowLabels(claimed: readonly string[], allowed: readonly string[]): string[] {
  if (allowed.length === 0) return [...new Set(claimed)];
  return [...new Set(claimed)].filter((label) => allowed.includes(label));
}
