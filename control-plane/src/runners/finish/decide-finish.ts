import { readReview } from '@switchyard/shared/review/read-review';
import type { AttemptKind } from '@switchyard/shared/api/work/attempt';
import { MAX_PLAN_CHARS } from '@switchyard/shared/plan/is-approval';
import type { PlanMode } from '@switchyard/shared/plan/plan-mode';
import { questionsOfPlan } from '@switchyard/shared/plan/questions-of-plan';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { AttemptStatus } from '@switchyard/shared/api/work/attempt';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { withoutStatusLine } from '@switchyard/shared/engine/status-of-line';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { codeOfFailure } from '@switchyard/shared/reasons/code-of-failure';
import { plainText } from '@switchyard/shared/text/plain-text';
import { checksFailedMessage } from '../../attempts/checks/decide.ts';
import { cancelledEnding, type Ending, MAX_RESET_WAIT_MS } from '../../attempts/decide.ts';

type Finish = RunnerMessageOf<'finish'>;

/** The columns of an attempt that decide a finish. */
export type FinishedAttempt = {
  status: AttemptStatus;
  phase: string | null;
  runner_id: string | null;
  epoch: number;
  /** The runner of the last running lease before the present one; null: none. */
  former_runner_id: string | null;
  former_epoch: number | null;
  released_at_ms: number | null;
  last_seq: number;
  digest: string;
  cancel_requested_at_ms: number | null;
  cancel_kind: NonNullable<Ending['cancelKind']> | null;
  cancel_reason: string | null;
  reason_code: ReasonCode | null;
  kind: AttemptKind;
  spec: { readOnly?: boolean | undefined };
};

/**
 * Who sends a finish: the holder of the lease (`held`), a runner that was disconnected for longer
 * than its lease (`late`), either of them again because the answer was lost (`answered`), or any
 * other runner (`foreign`).
 */
export type FinishStanding = 'held' | 'late' | 'answered' | 'foreign';

export function standingOf(
  attempt: FinishedAttempt,
  runnerId: string,
  message: Finish,
): FinishStanding {
  const { runner_id: holderId, released_at_ms: releasedAtMs } = attempt;
  if (holderId === runnerId && attempt.epoch === message.epoch) {
    if (releasedAtMs !== null) return 'answered';
    return attempt.status === 'running' ? 'held' : 'foreign';
  }
  const { former_runner_id: formerId, former_epoch: formerEpoch } = attempt;
  if (formerId !== runnerId || formerEpoch !== message.epoch) return 'foreign';
  if (holderId === runnerId && releasedAtMs !== null) return 'answered';
  return tellsLate(attempt, message) ? 'late' : 'foreign';
}

/**
 * Whether a finish under a former lease still counts, so that paid work is not repeated: a success
 * or a delivery until the attempt is granted again, finished work until another runner delivers.
 * Any other failure under a former lease, or a finish after a requested stop, does not count.
 */
function tellsLate(attempt: FinishedAttempt, message: Finish): boolean {
  const { status, phase } = attempt;
  if (message.outcome !== 'completed' && message.delivery === undefined) return false;
  if (attempt.cancel_requested_at_ms !== null || attempt.released_at_ms !== null) return false;
  if (status === 'queued') return true;
  return status === 'running' && phase !== 'delivering' && delivers(attempt, message);
}

/**
 * Whether a finish leads to a delivery. Read-only attempts and tests of merges deliver nothing, and
 * a stop by a person
 * or the tracker takes precedence over finished work.
 */
export function delivers(
  { spec, kind, cancel_kind: cancelKind }: FinishedAttempt,
  { outcome, delivery }: Finish,
): boolean {
  if (spec.readOnly === true || kind === 'check') return false;
  if (cancelKind === 'person' || cancelKind === 'tracker') return false;
  return outcome === 'completed' && delivery !== undefined;
}

export type FinishFacts = {
  standing: 'held' | 'late';
  attempt: FinishedAttempt;
  /**
   * Names of the declared checks that the work failed; read only for work that would be delivered.
   */
  failedChecks: readonly string[];
  /** Why the delivery cannot belong to this attempt; null when it can, or there is none. */
  deliveryProblem: string | null;
};

export type FinishDecision =
  /** Events are missing: the runner resends those after `uptoSeq`. */
  | { kind: 'resend'; uptoSeq: number }
  | { kind: 'invalid'; code: 'DIGEST' | 'INVALID'; problem: string }
  /** The runner is told that its claim no longer holds. */
  | { kind: 'refuse' }
  /** The attempt stays open until its pull request is opened. */
  | { kind: 'deliver' }
  | { kind: 'end' };

/**
 * Decides about a finish. Under a held lease every event must be stored, unchanged, before the end.
 */
export function decideFinish(
  { standing, attempt, failedChecks, deliveryProblem }: FinishFacts,
  message: Finish,
): FinishDecision {
  if (standing === 'held') {
    const { last_seq: storedSeq, digest } = attempt;
    if (storedSeq < message.finalSeq) return { kind: 'resend', uptoSeq: storedSeq };
    if (storedSeq !== message.finalSeq || digest !== message.digest) {
      const problem = 'the stored events are not those the runner sent';
      return { kind: 'invalid', code: 'DIGEST', problem };
    }
  }
  if (deliveryProblem !== null)
    return { kind: 'invalid', code: 'INVALID', problem: deliveryProblem };
  if (!delivers(attempt, message)) return { kind: 'end' };
  if (failedChecks.length === 0) return { kind: 'deliver' };
  // Another runner works on the attempt, so failed work of the former lease is dropped.
  return standing === 'late' && attempt.status === 'running' ? { kind: 'refuse' } : { kind: 'end' };
}

export type EndFacts = {
  failedChecks: readonly string[];
  /** Whether a complete plan of this issue waits for a person. */
  planMode: PlanMode;
  nowMs: number;
};

/** The ending of an attempt, from its runner's report and from what is stored. */
export function endingOfFinish(
  attempt: FinishedAttempt,
  message: Finish,
  { failedChecks, planMode, nowMs }: EndFacts,
): Ending {
  if (attempt.kind === 'check') return endingOfMergeTest(attempt, message);
  const judged = judgedFinish(attempt, message, failedChecks);
  const text = judged.message === undefined ? null : plainMessage(judged.message);
  const { cancel_kind: cancelKind, cancel_reason: cancelReason, reason_code: code } = attempt;
  if (judged.outcome === 'cancelled' || isStopped(attempt, judged))
    return cancelledEnding(cancelReason ?? text, cancelKind, code);
  const failureKind = judged.failureKind ?? (judged.outcome === 'failed' ? 'agent_error' : null);
  return {
    outcome: judged.outcome,
    failureKind,
    code:
      failureKind === null
        ? codeOfReview(attempt, judged)
        : codeOfFailure(failureKind, judged.upstream, judged.reasonCode),
    ...(judged.upstream === undefined ? {} : { upstream: judged.upstream }),
    message: text,
    marker: judged.marker,
    agentSummary: judged.summary && plainMessage(judged.summary),
    readOnly: attempt.spec.readOnly === true,
    ...planOf(attempt, judged, planMode),
    resetAtMs: boundedReset(judged.resetAtMs, nowMs),
  };
}

/** The ending of a test of a merge: a merge counts even if a stop was requested meanwhile. */
function endingOfMergeTest(
  { cancel_requested_at_ms: askedAtMs, ...attempt }: FinishedAttempt,
  { outcome, merged, failureKind = 'workspace_error', ...message }: Finish,
): Ending {
  const text = message.message === undefined ? null : plainMessage(message.message);
  if (outcome === 'completed' && merged !== undefined) {
    const code = 'pull_request_merged';
    return { outcome, failureKind: null, code, message: null, marker: 'DONE', resetAtMs: null };
  }
  const { cancel_kind: cancelKind, cancel_reason: reason, reason_code: code } = attempt;
  if (outcome === 'cancelled' || askedAtMs !== null)
    return cancelledEnding(reason ?? text, cancelKind, code);
  return {
    outcome: outcome === 'completed' ? 'failed' : outcome,
    failureKind,
    code: codeOfFailure(failureKind, message.upstream, message.reasonCode),
    ...(message.upstream === undefined ? {} : { upstream: message.upstream }),
    message: text ?? 'the runner reported no merge',
    marker: null,
    resetAtMs: null,
  };
}

/**
 * The finish, or the failure that it is: work that failed a check, planning without a plan, a review
 * that cannot be read.
 */
function judgedFinish(
  { kind }: FinishedAttempt,
  message: Finish,
  failedChecks: readonly string[],
): Finish {
  if (failedChecks.length > 0) return asRefused(message, failedChecks);
  const { outcome, marker, summary } = message;
  const isDone = outcome === 'completed' && marker === 'DONE';
  const text = isDone ? whyNothingHandedIn(kind, plainMessage(summary ?? '')) : null;
  if (text === null) return message;
  return { ...message, outcome: 'failed', failureKind: 'agent_error', message: text };
}

/** Why the last message of an agent that is done hands in nothing; null: it does, or need not. */
function whyNothingHandedIn(kind: AttemptKind, summary: string): string | null {
  if (kind === 'plan' && summary.trim() === '')
    return 'the agent ended its planning without a plan';
  if (kind !== 'review' || readReview(summary) !== null) return null;
  return 'the agent ended its review without one that can be read';
}

/** The code of an attempt that handed in a review: what it says. */
function codeOfReview(
  { kind }: FinishedAttempt,
  { outcome, marker, summary }: Finish,
): ReasonCode | null {
  if (kind !== 'review' || outcome !== 'completed' || marker !== 'DONE') return null;
  const isApproved = readReview(plainMessage(summary ?? ''))?.verdict === 'approved';
  return isApproved ? 'review_approved' : 'review_changes_requested';
}

/**
 * The plan that a finish hands in. One that asks a question, or that had to be cut, always waits for
 * a person.
 */
function planOf(
  { kind }: FinishedAttempt,
  { outcome, marker, summary }: Finish,
  planMode: PlanMode,
): Pick<Ending, 'plan'> {
  if (kind !== 'plan' || outcome !== 'completed' || marker !== 'DONE') return {};
  const whole = plainMessage(summary ?? '').trim();
  const questions = questionsOfPlan(whole);
  const text = cutText(whole, MAX_PLAN_CHARS, '\n\n…');
  const asksNothing = questions.length === 0 && text === whole;
  return { plan: { text, questions, isApproved: planMode === 'auto' && asksNothing } };
}

/** Turns a finish into a refused delivery: work that failed a check is not ready. */
function asRefused(message: Finish, failedChecks: readonly string[]): Finish {
  return {
    ...message,
    outcome: 'failed',
    failureKind: 'delivery_refused',
    reasonCode: 'checks_failed',
    message: checksFailedMessage(failedChecks),
  };
}

/**
 * Whether a requested stop decides the ending. Unless the work is complete, a stopped attempt must
 * not continue by itself.
 */
function isStopped(
  { cancel_requested_at_ms: askedAtMs, cancel_kind: cancelKind, kind }: FinishedAttempt,
  { outcome, marker, delivery }: Finish,
): boolean {
  if (askedAtMs === null) return false;
  // A complete plan or review would start work, or wait for somebody, on an issue that is not wanted.
  if (
    (kind === 'plan' || kind === 'review') &&
    (cancelKind === 'person' || cancelKind === 'tracker')
  )
    return true;
  return delivery?.pushed === false || outcome !== 'completed' || marker === null;
}

/** A provider's reset time as the runner reports it, limited to the longest wait. */
function boundedReset(resetAtMs: number | undefined, nowMs: number): number | null {
  if (resetAtMs === undefined) return null;
  return Math.floor(Math.min(resetAtMs, nowMs + MAX_RESET_WAIT_MS));
}

/** Text of an agent or a runner for people, without control characters and the status line. */
export function plainMessage(text: string): string {
  return withoutStatusLine(plainText(text));
}
