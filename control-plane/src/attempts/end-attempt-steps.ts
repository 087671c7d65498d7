import { KIND_RULES, kindsThat } from '@switchyard/shared/attempts/kind-rules';
import { type SQL, sql } from 'drizzle-orm';
import type { AttemptStatus } from '@switchyard/shared/api/work/attempt';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { codeOfFailure } from '@switchyard/shared/reasons/code-of-failure';
import { upstreamTrouble } from '@switchyard/shared/reasons/upstream-trouble';
import { updateIssue } from '../db/rows/update-issue.ts';
import { updateAttempt } from './rows/update-attempt.ts';
import { expectRowsAffected, type Step } from '../db/commit-steps.ts';
import type { Database, Statement } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import type { StoredEvent } from '../db/schema/operation/events.ts';
import { type IssueRow, issues } from '../db/schema/work/issues.ts';
import { appendEvents } from '../observe/events/append-events.ts';
import { notifyAttemptEnded } from '../notifications/notify-attempt.ts';
import { enqueueComment, enqueueEffect } from '../jobs/queue/enqueue-effect.ts';
import { freeCanary, liftByCanary, pauseUpstream } from './upstreams/pause-upstream.ts';
import {
  cancelledEnding,
  type Ending,
  type IssueAfterAttempt,
  issueAfterAttempt,
  issueAsDelivered,
  PROVIDER_FAILURES,
  type RetryPolicy,
} from './decide.ts';
import { blamedUpstream } from './judge-upstream-failure.ts';
import { issueKey } from './upstreams/provider-upstream.ts';
import { issueFingerprint } from './issue-fingerprint.ts';
import { branchOfWork } from './identity/branch-of-work.ts';
import { isOfIssue, workedOf } from './identity/is-of-issue.ts';
import { handInPlan, planRequestId } from './plans/hand-in-plan.ts';
import { endOpenWork } from './end-open-work.ts';
import { isLive } from './is-live.ts';

/** Columns of the attempt that are known at its end. */
export type AttemptFacts = Partial<
  Pick<
    AttemptRow,
    | 'summary'
    | 'tokens'
    | 'branch'
    | 'base_branch'
    | 'base_commit'
    | 'commit_sha'
    | 'diff_stat'
    | 'diff_blob'
    | 'outside_scope'
    | 'pull_request_url'
  >
>;

export type EndAttempt = {
  attempt: AttemptRow;
  issue: IssueRow;
  ending: Ending;
  policy: RetryPolicy;
  nowMs: number;
  facts?: AttemptFacts;
  /** Raises the epoch, which fences out a runner that still holds the attempt. */
  fence: boolean;
  /** Condition under which the end counts, for example that a runner's session is the newest. */
  onlyIf?: SQL;
  /** Whether the runner's final report contains no tokens: no model answered. */
  unpaid?: boolean;
  /**
   * Time of the runner's last message while the attempt ran, if nothing ended the attempt
   * regularly, epoch milliseconds; left out: it ran until now.
   */
  lastSeenAtMs?: number | undefined;
  /** Events that are stored before the one of the end, with the same time. */
  eventsBefore?: StoredEvent[];
};

/** What the issue's next attempt continues from: thread, branch and pull request. */
function whatIsLeft({ attempt, issue, facts }: EndAttempt) {
  return {
    // Only the engine that created a thread can resume it.
    ...(attempt.thread_id === null
      ? {}
      : { thread_id: attempt.thread_id, thread_engine: attempt.engine }),
    branch: facts?.branch ?? branchOfWork(attempt) ?? issue.branch,
    pull_request_url: facts?.pull_request_url ?? issue.pull_request_url,
  };
}

/** The issue's current attempt is again the last try of its work. */
function asBefore({ tracker, issue_id: issueId }: AttemptRow) {
  const before = sql`coalesce((select a.attempt_id from attempts a where a.tracker = ${tracker}
    and a.issue_id = ${issueId} and a.kind in ${kindsThat('isTry')} order by a.number desc limit 1),
    ${issues.current_attempt_id})`;
  return { current_attempt_id: before, merging: null, reviewing: null };
}

/**
 * Steps that end an attempt: attempt, issue, open requests, events and effects in one batch. The
 * first is a compare-and-swap on (attempt, epoch, live).
 */
export function endAttemptSteps(
  db: Database,
  input: EndAttempt,
): { steps: Step[]; after: IssueAfterAttempt } {
  const { attempt, issue, nowMs } = input;
  const isOwn = isOfIssue(workedOf(attempt), issue);
  // Another issue that stands under the same id has no use for the plan.
  const ending =
    input.ending.plan === undefined || isOwn
      ? input.ending
      : cancelledEnding(null, 'tracker', 'tracker_replaced');
  const { isTry } = KIND_RULES[attempt.kind];
  const counts = { runCount: issue.run_count, failureCount: issue.failure_count };
  // Another issue that stands under the same id has no such pull request.
  const after =
    !isTry && isOwn
      ? issueAsDelivered(ending, counts)
      : issueAfterAttempt(ending, counts, input.policy, nowMs);
  const failureKind = after.failureKind ?? ending.failureKind;
  const subject = { tracker: issue.tracker, issueId: issue.id, attemptId: attempt.attempt_id };
  const steps: Step[] = [
    expectRowsAffected(
      updateAttempt(
        db,
        attempt,
        {
          ...input.facts,
          status: finalStatus(ending),
          phase: null,
          outcome: ending.outcome,
          failure_kind: failureKind,
          reason_code: codeOfAttempt(ending, after),
          error_message: ending.outcome === 'completed' ? null : ending.message,
          marker: ending.marker,
          ended_at_ms: nowMs,
          released_at_ms: sql`coalesce(${attempts.released_at_ms}, ${nowMs})`,
          epoch: input.fence ? attempt.epoch + 1 : attempt.epoch,
        },
        isLive(input.onlyIf),
      ),
    ),
    updateIssue(db, issue, {
      status: after.status,
      reason: after.reason,
      reason_code: after.code,
      next_retry_at_ms: after.nextRetryAtMs,
      queued_since_ms: after.status === 'queued' ? nowMs : null,
      run_count: after.runCount,
      failure_count: after.failureCount,
      ...(KIND_RULES[attempt.kind].hasAgent && isFreeOfCharge(input)
        ? { unattended_runs: sql`max(0, ${issues.unattended_runs} - 1)` }
        : {}),
      parked_fingerprint: issueFingerprint(issue),
      parked_kind: after.parkedKind ?? null,
      ...(isTry ? (isOwn ? whatIsLeft(input) : {}) : asBefore(attempt)),
      ...(ending.plan?.isApproved === true ? { plan_request_id: planRequestId(attempt) } : {}),
    }),
    ...endOpenWork(db, attempt, nowMs, input.lastSeenAtMs),
    ...(ending.plan === undefined
      ? []
      : handInPlan(db, nowMs, { attempt, issue, plan: ending.plan })),
    ...appendEvents(
      db,
      nowMs,
      [...(input.eventsBefore ?? []), ...endEvents({ ...input, ending }, after, failureKind)],
      {
        attemptId: attempt.attempt_id,
        epoch: attempt.epoch,
        fromRunnerSeq: null,
      },
    ),
    enqueueComment(db, nowMs, subject),
  ];
  steps.push(...upstreamStatements(db, input));
  if (!isTry) return { steps, after };
  steps.push(
    ...notifyAttemptEnded(db, nowMs, attempt, {
      outcome: ending.outcome,
      marker: ending.marker,
      status: after.status,
      reason: after.reason,
      reasonCode: after.code,
      failureCount: after.failureCount,
      upstreamFailed: failureKind !== null && PROVIDER_FAILURES.has(failureKind),
      failureKind,
      nextRetryAtMs: after.nextRetryAtMs,
    }),
  );
  // A plan that waits needs an answer here, not a move in the tracker.
  if (after.status === 'blocked' && after.code !== 'plan_waiting') {
    steps.push(
      enqueueEffect(db, nowMs, {
        key: `${attempt.attempt_id}:blocked`,
        effect: { kind: 'tracker.transition', role: 'blocked' },
        subject,
        repeat: false,
      }),
    );
  }
  return { steps, after };
}

/**
 * Whether the attempt does not count as an agent run: it ended by an outage or a pause before any
 * model answered.
 */
function isFreeOfCharge({ unpaid, ending }: EndAttempt): boolean {
  const { failureKind, cancelKind } = ending;
  const isOutage = failureKind !== null && PROVIDER_FAILURES.has(failureKind);
  return unpaid === true && (isOutage || cancelKind === 'pause');
}

/**
 * Pauses a failed upstream for all issues; the end of a canary attempt settles the pause that it
 * tested.
 */
function upstreamStatements(
  db: Database,
  { attempt, ending, policy, nowMs }: EndAttempt,
): Statement[] {
  const { failureKind } = ending;
  if (failureKind !== null && PROVIDER_FAILURES.has(failureKind)) {
    const code = ending.code ?? codeOfFailure(failureKind, ending.upstream);
    return [
      pauseUpstream(db, {
        upstream: blamedUpstream(attempt, ending),
        issueKey: issueKey(attempt.tracker, attempt.issue_id),
        reason: upstreamTrouble(code, ending.message ?? 'it failed'),
        reasonCode: code,
        resetAtMs: ending.resetAtMs,
        baseMs: policy.retryBaseMs,
        maxMs: policy.maxRetryBackoffMs,
        nowMs,
      }),
    ];
  }
  const proven = ending.outcome === 'completed';
  return [
    proven ? liftByCanary(db, attempt.attempt_id, 'all') : freeCanary(db, attempt.attempt_id),
  ];
}

/** The reason code of the attempt; the issue's code where the end itself has none. */
function codeOfAttempt(ending: Ending, after: IssueAfterAttempt): ReasonCode {
  return ending.code ?? after.code;
}

function finalStatus(ending: Ending): AttemptStatus {
  if (ending.outcome === 'completed') return 'completed';
  return ending.outcome === 'cancelled' ? 'cancelled' : 'failed';
}

function endEvents(
  input: EndAttempt,
  after: IssueAfterAttempt,
  failureKind: string | null,
): StoredEvent[] {
  const { attempt, issue, ending, nowMs } = input;
  return [
    {
      type: 'attempt.ended',
      atMs: nowMs,
      data: {
        attemptId: attempt.attempt_id,
        identifier: issue.identifier,
        number: attempt.number,
        outcome: ending.outcome,
        failureKind,
        reasonCode: codeOfAttempt(ending, after),
        message: ending.message,
      },
    },
    {
      type: KIND_RULES[attempt.kind].isTry ? `issue.${after.status}` : 'issue.updated',
      atMs: nowMs,
      data: {
        identifier: issue.identifier,
        issueId: issue.id,
        attemptId: attempt.attempt_id,
        status: after.status,
        reason: after.reason,
        reasonCode: after.code,
        nextRetryAt:
          after.nextRetryAtMs === null ? null : new Date(after.nextRetryAtMs).toISOString(),
      },
    },
  ];
}
