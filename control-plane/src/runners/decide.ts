import type { AttemptStatus } from '@switchyard/shared/api/work/attempt';
import type { FenceCode } from '@switchyard/shared/protocol/messages';

/** What the rows say of an attempt, as far as a runner's claim on it matters. */
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
 * Whether a runner may go on with an attempt it says it holds. `stop` is given only for a proven
 * mismatch: a database error is never turned into one.
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

/** Labels a runner may use: its own claim, narrowed by what its join token allowed. */
export function narrowLabels(claimed: readonly string[], allowed: readonly string[]): string[] {
  if (allowed.length === 0) return [...new Set(claimed)];
  return [...new Set(claimed)].filter((label) => allowed.includes(label));
}
