import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { SQL } from 'drizzle-orm';
import { EMPTY_DIGEST } from '@switchyard/shared/protocol/extend-digest';
import { updateIssue } from '../db/rows/update-issue.ts';
import { updateAttempt } from './rows/update-attempt.ts';
import { expectRowsAffected, type Step } from '../db/commit-steps.ts';
import type { Database, Statement } from '../db/database.ts';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import { appendEvents } from '../observe/events/append-events.ts';
import { freeCanary } from './upstreams/pause-upstream.ts';
import { endOpenWork } from './end-open-work.ts';
import { isLive } from './is-live.ts';

/**
 * Steps that take an attempt from its runner and queue it under the next epoch with the same
 * number. `lost` counts against the runner-loss limit; a declined or expired offer does not. The
 * former engine's open questions are closed, since the next engine does not know them.
 */
export function requeueAttemptSteps(
  db: Database,
  input: {
    attempt: AttemptRow;
    reason: string;
    code: ReasonCode;
    lost: boolean;
    nowMs: number;
    /**
     * Time of the runner's last message while the attempt ran, if nothing ended the attempt
     * regularly, epoch milliseconds; left out: it ran until now.
     */
    lastSeenAtMs?: number | undefined;
    /** The attempt is not offered again before this time, epoch milliseconds. */
    notBeforeMs?: number;
    /**
     * Condition under which the change counts, for example that a runner's session is the newest.
     */
    onlyIf?: SQL;
  },
): Step[] {
  const { attempt, nowMs } = input;
  return [
    expectRowsAffected(
      updateAttempt(
        db,
        attempt,
        {
          status: 'queued',
          phase: null,
          runner_id: null,
          epoch: attempt.epoch + 1,
          offer_expires_at_ms: null,
          granted_at_ms: null,
          not_held_since_ms: null,
          attempt_token_hash: null,
          last_seq: 0,
          digest: EMPTY_DIGEST,
          turn_id: null,
          ...(attempt.status === 'running'
            ? { former_runner_id: attempt.runner_id, former_epoch: attempt.epoch }
            : {}),
          loss_count: attempt.loss_count + (input.lost ? 1 : 0),
        },
        isLive(input.onlyIf),
      ),
    ),
    updateIssue(
      db,
      { tracker: attempt.tracker, id: attempt.issue_id },
      {
        status: 'queued',
        reason: input.reason,
        reason_code: input.code,
        next_retry_at_ms: input.notBeforeMs ?? null,
        queued_since_ms: nowMs,
      },
    ),
    ...endOpenWork(db, attempt, nowMs, input.lastSeenAtMs),
    // An offer that was not accepted is not part of what the agent did, so it is not logged.
    ...(attempt.status === 'running' ? requeuedEvent(db, input) : []),
    // Frees the canary's place: upstream and attempt would otherwise wait for each other.
    freeCanary(db, attempt.attempt_id),
    ...appendEvents(db, nowMs, [
      {
        type: 'issue.queued',
        atMs: nowMs,
        data: {
          identifier: attempt.identifier,
          issueId: attempt.issue_id,
          attemptId: attempt.attempt_id,
          status: 'queued',
          reason: input.reason,
          reasonCode: input.code,
        },
      },
    ]),
  ];
}

/** The event for the attempt's log that explains why its running work breaks off. */
function requeuedEvent(
  db: Database,
  input: { attempt: AttemptRow; reason: string; code: ReasonCode; nowMs: number },
): Statement[] {
  const { attempt_id: attemptId, identifier, epoch } = input.attempt;
  const { reason, code: reasonCode, nowMs } = input;
  const data = { attemptId, identifier, epoch, reason, reasonCode };
  const origin = { attemptId, epoch, fromRunnerSeq: null };
  return appendEvents(db, nowMs, [{ type: 'attempt.requeued', atMs: nowMs, data }], origin);
}
