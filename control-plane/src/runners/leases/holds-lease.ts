import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { judgeClaim } from '../decide.ts';
import { leasesAreLeftAlone } from './leases-are-left-alone.ts';
import type { RunnerSession } from '../session/runner-session.ts';
import { leaseView } from '../session/judge-inventory.ts';

/**
 * Whether a session is its runner's newest and holds the unexpired, running lease of this epoch.
 * Every request under a lease is checked by this rule.
 */
export function holdsLease(
  deps: Pick<Deps, 'clock' | 'service'>,
  session: RunnerSession,
  claim: { attempt: AttemptRow | null; runner: RunnerRow | null; epoch: number },
): boolean {
  const { attempt, runner, epoch } = claim;
  if (runner === null || !speaksFor(session, runner) || attempt === null) return false;
  const verdict = judgeClaim(leaseView(attempt), { epoch, runnerId: session.runnerId });
  return verdict.kind === 'keep' && !isLeaseOver(deps, runner);
}

/** Whether this is the newest session of a runner that was not revoked. */
export function speaksFor(session: RunnerSession, runner: RunnerRow): boolean {
  return runner.revoked_at_ms === null && runner.session === session.session;
}

/** Whether a runner's lease and grace are over; from then on its work goes to another runner. */
export function isLeaseOver(
  deps: Pick<Deps, 'clock' | 'service'>,
  { lease_until_ms: untilMs }: RunnerRow,
): boolean {
  if (leasesAreLeftAlone(deps)) return false;
  return untilMs === null || untilMs + deps.service.leaseTimes.graceMs <= deps.clock.nowMs();
}
