import type { AttemptStatus } from '@switchyard/shared/api/work/attempt';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { withoutStatusLine } from '@switchyard/shared/engine/status-of-line';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { codeOfFailure } from '@switchyard/shared/reasons/code-of-failure';
import { plainText } from '@switchyard/shared/text/plain-text';
import { checksFailedMessage } from '../../attempts/checks/decide.ts';
import { cancelledEnding, type Ending, MAX_RESET_WAIT_MS } from '../../attempts/decide.ts';

type Finish = RunnerMessageOf<'finish'>;

/** What a finish is judged by of its attempt's row. */
export type FinishedAttempt = {
  status: AttemptStatus;
  phase: string | null;
  runner_id: string | null;
  epoch: number;
  /** Who had it under the lease before, where another runner has had it since. */
  former_runner_id: string | null;
  former_epoch: number | null;
  released_at_ms: number | null;
  last_seq: number;
  digest: string;
  cancel_requested_at_ms: number | null;
  cancel_kind: NonNullable<Ending['cancelKind']> | null;
  cancel_reason: string | null;
  reason_code: ReasonCode | null;
  spec: { readOnly?: boolean | undefined };
};

/**
 * Who tells a finish: the runner that holds the lease (`held`), one that was cut off for longer than
 * its lease (`late`), either of them again because the answer was lost (`answered`), or a runner that
 * has no say (`foreign`).
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
 * What was paid for is not done again: the end under a former lease counts until the attempt was
 * granted anew, and finished work until it is delivered by another. What failed meanwhile is a loss as
 * any other.
 */
function tellsLate(attempt: FinishedAttempt, message: Finish): boolean {
  const { status, phase } = attempt;
  if (message.outcome !== 'completed' && message.delivery === undefined) return false;
  if (attempt.cancel_requested_at_ms !== null || attempt.released_at_ms !== null) return false;
  if (status === 'queued') return true;
  return status === 'running' && phase !== 'delivering' && delivers(attempt, message);
}

/** An attempt that only reads delivers nothing, and a stop holds even against finished work. */
export function delivers(
  { spec, cancel_kind: cancelKind }: FinishedAttempt,
  { outcome, delivery }: Finish,
): boolean {
  if (spec.readOnly === true || cancelKind === 'person' || cancelKind === 'tracker') return false;
  return outcome === 'completed' && delivery !== undefined;
}

export type FinishFacts = {
  standing: 'held' | 'late';
  attempt: FinishedAttempt;
  /** Names of the declared checks that the work failed; asked only of work that would be delivered. */
  failedChecks: readonly string[];
  /** Why the delivery cannot be one of this attempt's; null when it can, or there is none. */
  deliveryProblem: string | null;
};

export type FinishDecision =
  /** Events are missing: the runner sends those after this one again. */
  | { kind: 'resend'; uptoSeq: number }
  | { kind: 'invalid'; code: 'DIGEST' | 'INVALID'; problem: string }
  /** The runner learns what its claim is worth by now. */
  | { kind: 'refuse' }
  /** The attempt stays open until its pull request is. */
  | { kind: 'deliver' }
  | { kind: 'end' };

/** Every event of a lease that is held must be stored, unchanged, before its end is. */
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
  // Another runner is at work on it: what failed under the former lease is a loss as any other.
  return standing === 'late' && attempt.status === 'running' ? { kind: 'refuse' } : { kind: 'end' };
}

/** How the attempt ended, by what its runner says and by what is known here. */
export function endingOfFinish(
  attempt: FinishedAttempt,
  message: Finish,
  { failedChecks, nowMs }: { failedChecks: readonly string[]; nowMs: number },
): Ending {
  const told = failedChecks.length === 0 ? message : asRefused(message, failedChecks);
  const words = told.message === undefined ? null : plainMessage(told.message);
  const { cancel_kind: cancelKind, cancel_reason: cancelReason, reason_code: code } = attempt;
  if (told.outcome === 'cancelled' || isStopped(attempt, told))
    return cancelledEnding(cancelReason ?? words, cancelKind, code);
  const failureKind = told.failureKind ?? (told.outcome === 'failed' ? 'agent_error' : null);
  return {
    outcome: told.outcome,
    failureKind,
    code: failureKind && codeOfFailure(failureKind, told.upstream, told.reasonCode),
    ...(told.upstream === undefined ? {} : { upstream: told.upstream }),
    message: words,
    marker: told.marker,
    words: told.summary && plainMessage(told.summary),
    readOnly: attempt.spec.readOnly === true,
    resetAtMs: boundedReset(told.resetAtMs, nowMs),
  };
}

/** Work that failed a check is not ready, whatever its runner says. */
function asRefused(message: Finish, failedChecks: readonly string[]): Finish {
  return {
    ...message,
    outcome: 'failed',
    failureKind: 'delivery_refused',
    reasonCode: 'checks_failed',
    message: checksFailedMessage(failedChecks),
  };
}

/** However its agent ended, what was asked to stop does not go on by itself. */
function isStopped(
  { cancel_requested_at_ms: askedAtMs }: FinishedAttempt,
  { outcome, marker, delivery }: Finish,
): boolean {
  if (askedAtMs === null) return false;
  return delivery?.pushed === false || outcome !== 'completed' || marker === null;
}

/** A provider's reset time as a runner tells it; nobody waits longer than this for one. */
function boundedReset(resetAtMs: number | undefined, nowMs: number): number | null {
  if (resetAtMs === undefined) return null;
  return Math.floor(Math.min(resetAtMs, nowMs + MAX_RESET_WAIT_MS));
}

/** Words of an agent or a runner as people read them, without the line that is for programs. */
export function plainMessage(text: string): string {
  return withoutStatusLine(plainText(text));
}
