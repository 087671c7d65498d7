import { and, eq, inArray, isNotNull, isNull, lte, or, sql, type SQL } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import { requeueAttemptSteps } from '../../attempts/requeue-attempt-steps.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Bound, Deps } from '../../deps.ts';
import { leadsNow } from '../../jobs/leadership/leads-now.ts';
import { leasesAreLeftAlone } from './leases-are-left-alone.ts';
import type { reclaimAttempt } from './reclaim-attempt.ts';

/** Close code that makes a runner send `hello` again before it gets offers. */
const CLOSE_LEASE_OVER = 4408;

/**
 * Requeues what is no longer renewed: expired offers, attempts whose runner's lease and grace are
 * over, and attempts that their runner has not listed for long. Idempotent. In the first lease time
 * after a start no lease is touched, so that a restart by itself moves no work.
 */
export async function sweepLeases(
  deps: Pick<Deps, 'db' | 'clock' | 'service' | 'connections'> & {
    reclaimAttempt: Bound<typeof reclaimAttempt>;
  },
): Promise<number> {
  const nowMs = deps.clock.nowMs();
  const { graceMs, notHeldRequeueMs } = deps.service.leaseTimes;
  const expired = await deps.db
    .select()
    .from(attempts)
    .where(and(eq(attempts.status, 'queued'), lte(attempts.offer_expires_at_ms, nowMs)));
  for (const attempt of expired) {
    const reason = 'waiting for a runner (the last offer was not taken in time)';
    const requeue = { attempt, reason, code: 'offer_expired', lost: false, nowMs } as const;
    await commitChange(deps, { also: requeueAttemptSteps(deps.db, requeue), nowMs });
  }
  if (leasesAreLeftAlone(deps)) return expired.length;
  const lost = await deps.db
    .select({
      attempt: attempts,
      leaseUntilMs: runners.lease_until_ms,
      seenAtMs: runners.last_seen_at_ms,
    })
    .from(attempts)
    .innerJoin(runners, eq(runners.runner_id, attempts.runner_id))
    .where(
      and(
        inArray(attempts.status, ['running']),
        isNull(attempts.released_at_ms),
        or(
          isNull(runners.lease_until_ms),
          lte(runners.lease_until_ms, nowMs - graceMs),
          and(
            isNotNull(attempts.not_held_since_ms),
            lte(attempts.not_held_since_ms, nowMs - notHeldRequeueMs),
            or(isNull(runners.twin_until_ms), lte(runners.twin_until_ms, nowMs)),
          ),
        ),
      ),
    );
  const silent = new Set<string>();
  for (const { attempt, leaseUntilMs, seenAtMs } of lost) {
    const leaseOver = leaseUntilMs === null || leaseUntilMs <= nowMs - graceMs;
    const why = leaseOver ? 'its lease ran out' : 'its runner no longer lists it';
    // For an attempt that its runner stopped listing, the time since then counts.
    const lastSeenAtMs = (leaseOver ? seenAtMs : attempt.not_held_since_ms) ?? 0;
    const moved = await deps.reclaimAttempt(attempt, {
      why,
      lastSeenAtMs,
      onlyIf: stillLost(deps),
    });
    if (moved && leaseOver && attempt.runner_id !== null) silent.add(attempt.runner_id);
  }
  for (const runnerId of silent)
    deps.connections.close(runnerId, CLOSE_LEASE_OVER, 'its lease ran out');
  return expired.length + lost.length;
}

/**
 * Condition that the lease is still over, or its runner still does not list the attempt, and that
 * this instance still leads: all may change after the read.
 */
function stillLost(deps: Pick<Deps, 'clock' | 'service'>): SQL {
  const leases = deps.service.leaseTimes;
  const nowMs = deps.clock.nowMs();
  if (leasesAreLeftAlone(deps)) return sql`0`;
  return sql`${leadsNow(deps)} and exists (select 1 from runners r
    where r.runner_id = ${attempts.runner_id} and (r.lease_until_ms is null
      or r.lease_until_ms <= ${nowMs - leases.graceMs}
      or (${attempts.not_held_since_ms} <= ${nowMs - leases.notHeldRequeueMs}
        and (r.twin_until_ms is null or r.twin_until_ms <= ${nowMs}))))`;
}
