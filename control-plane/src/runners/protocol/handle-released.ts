import { and, eq } from 'drizzle-orm';
import { attempts } from '../../db/schema/work/attempts.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { reclaimAttempt, releaseAttempt } from '../leases/reclaim-attempt.ts';
import { refuseClaim } from '../session/refuse-claim.ts';
import type { Replies, RunnerSession } from '../session/runner-session.ts';
import { sessionIsCurrent } from '../session/session-is-current.ts';

/**
 * Handles `released`: the runner has removed the container and returns the attempt, which is queued
 * again. A regular release is no loss; a release after a failure counts as one, and the third loss
 * ends the attempt.
 */
export async function handleReleased(
  deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics' | 'config'>,
  session: RunnerSession,
  message: RunnerMessageOf<'released'>,
): Promise<Replies> {
  const [found] = await deps.db
    .select({ attempt: attempts, twinUntilMs: runners.twin_until_ms })
    .from(attempts)
    .innerJoin(runners, eq(runners.runner_id, attempts.runner_id))
    .where(
      and(eq(attempts.attempt_id, message.attemptId), eq(runners.runner_id, session.runnerId)),
    );
  const row = found?.attempt;
  if (row?.epoch !== message.epoch || row.status !== 'running' || row.released_at_ms !== null)
    return [];
  // Another process with the same identity may have the container that this one does not find.
  if (found !== undefined && (found.twinUntilMs ?? 0) > deps.clock.nowMs()) return [];
  const onlyIf = sessionIsCurrent(session);
  const taken =
    message.orderly === true
      ? await releaseAttempt(deps, row, { why: message.why, onlyIf })
      : // The runner was connected while it found that the work had ended.
        await reclaimAttempt(deps, row, { why: message.why, lastSeenAtMs: 0, onlyIf });
  if (!taken) return [await refuseClaim(deps, session, message)];
  return [];
}
