import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, isNull, type SQL } from 'drizzle-orm';
import { MAX_RUNNER_LOSSES } from '@switchyard/shared/protocol/limits';
import type { HeldItem } from '@switchyard/shared/protocol/messages';
import { commitChange } from '../../observe/events/commit-change.ts';
import { finishedWork } from '../../attempts/checkpoints/queries.ts';
import { deliverAttempt } from '../../attempts/rows/deliver-attempt.ts';
import { countEndedAttempt } from '../../attempts/count-ended-attempt.ts';
import { cancelledEnding } from '../../attempts/decide.ts';
import { endAttemptSteps } from '../../attempts/end-attempt-steps.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import { requeueAttemptSteps } from '../../attempts/requeue-attempt-steps.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import type { Deps } from '../../deps.ts';

/**
 * Reclaims the running attempts that a runner's new inventory does not list. `loss` gives the
 * reason, and when the runner was last seen.
 */
export async function reclaimMissingAttempts(
  deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics' | 'config'>,
  ofRunner: readonly AttemptRow[],
  held: readonly HeldItem[],
  loss: Loss,
): Promise<void> {
  for (const attempt of ofRunner) {
    if (attempt.status !== 'running') continue;
    const listed = held.some(
      (item) => item.attemptId === attempt.attempt_id && item.epoch === attempt.epoch,
    );
    if (!listed) await reclaimAttempt(deps, attempt, loss);
  }
}

type Loss = {
  /** Reason for people, in parentheses after "runner lost". */
  why: string;
  /** When the runner was last seen while it had the attempt, epoch milliseconds; 0: not known. */
  lastSeenAtMs: number;
  /** Condition under which the change counts. */
  onlyIf?: SQL;
};

/**
 * Reclaims an attempt from a lost runner: the attempt is queued under the next epoch, and the third
 * loss ends it. Finished work that is stored outside the runner is delivered instead. Returns false
 * and changes nothing if the lease or `onlyIf` no longer holds.
 */
export async function reclaimAttempt(
  deps: Pick<Deps, 'db' | 'clock' | 'logger' | 'metrics' | 'config'>,
  attempt: AttemptRow,
  loss: Loss,
): Promise<boolean> {
  deps.logger.warn('attempt lost its runner', {
    attemptId: attempt.attempt_id,
    runnerId: attempt.runner_id,
    losses: attempt.loss_count + 1,
    why: loss.why,
  });
  return requeueOrEnd(deps, attempt, { ...loss, lost: true });
}

/**
 * Queues an attempt again that its runner released regularly, which counts as no loss. False if the
 * lease or `onlyIf` no longer holds.
 */
export async function releaseAttempt(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics' | 'config'>,
  attempt: AttemptRow,
  { why, onlyIf }: { why: string; onlyIf: SQL },
): Promise<boolean> {
  return requeueOrEnd(deps, attempt, { why, lost: false, onlyIf });
}

async function requeueOrEnd(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics' | 'config'>,
  attempt: AttemptRow,
  {
    why,
    lost,
    onlyIf,
    lastSeenAtMs,
  }: Omit<Loss, 'lastSeenAtMs'> & { lost: boolean; lastSeenAtMs?: number },
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const when = onlyIf === undefined ? {} : { onlyIf };
  // A person may abort the attempt between read and write; it must not be queued again then.
  const wanted = and(onlyIf, isNull(attempts.cancel_requested_at_ms));
  const mayGoOn = !lost || attempt.loss_count + 1 < MAX_RUNNER_LOSSES;
  const cancelled = attempt.cancel_requested_at_ms !== null;
  const work = cancelled ? null : await finishedWork(deps.db, attempt);
  if (work !== null) {
    // Every runner can push the stored commit, so none is preferred.
    const lease = { epoch: attempt.epoch + 1, runner_id: null };
    const facts = { ...work, ...lease, marker: 'DONE' } as const;
    const delivery = { attempt, facts, isPushed: false, nowMs, lastSeenAtMs, onlyIf: wanted };
    return commitChange(deps, deliverAttempt(deps.db, delivery));
  }
  if (!cancelled && mayGoOn) {
    const reason = `${lost ? 'runner lost' : 'given back'} (${why}); waiting for a runner to take it over`;
    const code: ReasonCode = lost ? 'runner_lost' : 'runner_returned';
    const requeue = {
      attempt,
      reason,
      code,
      lost,
      nowMs,
      lastSeenAtMs,
      ...(wanted && { onlyIf: wanted }),
    };
    return commitChange(deps, { also: requeueAttemptSteps(deps.db, requeue), nowMs });
  }
  const pair = await attemptWithIssue(deps.db, attempt.attempt_id);
  if (pair === null) return false;
  const config = await deps.config.load();
  const { steps } = endAttemptSteps(deps.db, {
    attempt,
    issue: pair.issue,
    ending: cancelled
      ? cancelledEnding(attempt.cancel_reason, attempt.cancel_kind, attempt.reason_code)
      : {
          outcome: 'failed',
          failureKind: 'runner_lost',
          code: 'runner_lost',
          message: `lost its runner ${MAX_RUNNER_LOSSES} times: ${why}`,
          marker: null,
          resetAtMs: null,
        },
    policy: config.agent,
    nowMs,
    lastSeenAtMs,
    fence: true,
    ...when,
  });
  const committed = await commitChange(deps, { also: steps, nowMs });
  if (committed && !cancelled) countEndedAttempt(deps.metrics, attempt, 'failed');
  return committed;
}
