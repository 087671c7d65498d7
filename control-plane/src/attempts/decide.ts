import type { AttemptOutcome, FailureKind } from '@switchyard/shared/api/work/attempt';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import { codeOfFailure } from '@switchyard/shared/reasons/code-of-failure';
import { BLOCKED_PREFIX } from '@switchyard/shared/reasons/explain-reason';
import { BLOCKS_START } from '@switchyard/shared/reasons/needs-person';
import { upstreamTrouble, waitingForUpstream } from '@switchyard/shared/reasons/upstream-trouble';
import { cutText } from '@switchyard/shared/text/cut-text';

/**
 * How an issue continues after its model provider's account failed: with another choice of its
 * chain, or not before one of its accounts may be tried again (null: time not known).
 */
export type NextChoice =
  | { kind: 'other'; from: string; to: string }
  | { kind: 'none'; code: ReasonCode; reason: string; retryAtMs: number | null };

/** A plan that an attempt handed in, with the questions it asks. */
export type HandedInPlan = {
  /** Markdown, without the status line. */
  text: string;
  questions: readonly string[];
  /** The policy approves it; otherwise it waits for a person. */
  isApproved: boolean;
};

/** How an attempt ended, whether the runner or the control plane reported it. */
export type Ending = {
  outcome: AttemptOutcome;
  failureKind: FailureKind | null;
  /** Why the attempt ended; null where the agent's marker says it. */
  code: ReasonCode | null;
  message: string | null;
  marker: 'DONE' | 'BLOCKED' | null;
  /** The agent's last message. */
  agentSummary?: string | null;
  /** The attempt was read-only: no change was expected of it. */
  readOnly?: boolean;
  /** The plan, if the attempt was there to make one and it is complete. */
  plan?: HandedInPlan;
  /** When a provider limit resets, epoch milliseconds; null when not known. */
  resetAtMs: number | null;
  /** Which upstream failed; left out: the model provider. */
  upstream?: 'provider' | 'codehost';
  /**
   * The failure is the runner's, and another runner may do the work; left out: no other runner can.
   */
  mayElsewhere?: boolean;
  /**
   * How to continue after a failure of the model provider; left out: the same choice is tried
   * again.
   */
  next?: NextChoice;
  /** Who requested the stop, when the attempt was stopped. */
  cancelKind?: 'person' | 'tracker' | 'pause' | 'budget' | null;
};

export type IssueCounts = { runCount: number; failureCount: number };

export type RetryPolicy = {
  maxContinuationAttempts: number;
  retryBaseMs: number;
  maxRetryBackoffMs: number;
};

/** What becomes of the issue. If `failureKind` is given, it replaces the attempt's own. */
export type IssueAfterAttempt = {
  status: Exclude<IssueStatus, 'idle' | 'running'>;
  parkedKind?: 'budget' | 'attempt_time';
  reason: string;
  code: ReasonCode;
  nextRetryAtMs: number | null;
  runCount: number;
  failureCount: number;
  failureKind?: FailureKind;
};

/** Characters of the agent's last message that a reason repeats. */
const MAX_MESSAGE_CHARS = 1_500;

/** Longest limit period of a provider (31 days); also bounds the wait if a clock is wrong. */
export const MAX_RESET_WAIT_MS = 2_678_400_000;
/**
 * Delay of the next attempt after a clean end with work left. Source: decisions, Dispatch rules.
 */
export const CONTINUATION_DELAY_MS = 1_000;

/** Failures of an upstream, not of the work: they count as no retry. */
export const PROVIDER_FAILURES: ReadonlySet<FailureKind> = new Set([
  'auth_failed',
  'usage_limited',
  'provider_unreachable',
]);

/** `min(retryBaseMs · 2^(n−1), maxRetryBackoffMs)` for the n-th failure in a row. */
export function retryDelayMs(policy: RetryPolicy, failureNumber: number): number {
  return Math.min(
    policy.retryBaseMs * 2 ** Math.max(0, failureNumber - 1),
    policy.maxRetryBackoffMs,
  );
}

const STOPPED_BY: Record<NonNullable<Ending['cancelKind']>, ReasonCode> = {
  person: 'stopped_by_person',
  tracker: 'tracker_moved',
  pause: 'stopped_by_pause',
  budget: 'issue_budget_used',
};

/** The end of an attempt that was asked to stop: an exhausted budget is a failure of its own. */
export function cancelledEnding(
  reason: string | null,
  kind: Ending['cancelKind'],
  code: ReasonCode | null,
): Ending {
  const outOfBudget = kind === 'budget';
  return {
    outcome: outOfBudget ? 'failed' : 'cancelled',
    failureKind: outOfBudget ? 'budget_exceeded' : null,
    code: code ?? (kind === null || kind === undefined ? 'stopped_by_person' : STOPPED_BY[kind]),
    message: reason,
    marker: null,
    resetAtMs: null,
    cancelKind: kind ?? null,
  };
}

/**
 * Decides an issue's next status after its attempt ended. `counts` already include this attempt.
 */
export function issueAfterAttempt(
  ending: Ending,
  counts: IssueCounts,
  policy: RetryPolicy,
  nowMs: number,
): IssueAfterAttempt {
  const settled = { nextRetryAtMs: null, runCount: counts.runCount, failureCount: 0 };
  if (ending.outcome === 'cancelled' && ending.cancelKind === 'pause') {
    return {
      status: 'queued',
      reason: 'stopped by the pause; goes on after it',
      code: 'stopped_by_pause',
      nextRetryAtMs: null,
      runCount: Math.max(0, counts.runCount - 1),
      failureCount: counts.failureCount,
    };
  }
  if (ending.outcome === 'cancelled') {
    return {
      ...settled,
      status: 'cancelled',
      reason: ending.message ?? 'stopped',
      code: ending.code ?? 'stopped_by_person',
      failureCount: counts.failureCount,
    };
  }
  if (ending.outcome === 'completed') {
    if (ending.plan !== undefined) return afterPlan(ending.plan, counts);
    if (ending.marker === 'DONE') {
      return {
        ...settled,
        status: 'completed',
        reason: ending.message ?? doneMessage(ending),
        code: ending.code ?? (ending.readOnly === true ? 'report_done' : 'done_without_changes'),
      };
    }
    if (ending.marker === 'BLOCKED') {
      return {
        ...settled,
        status: 'blocked',
        reason: ending.message ?? blockedMessage(ending),
        code: 'agent_blocked',
      };
    }
    return afterCleanEnd(counts, policy, nowMs);
  }
  return afterFailure(ending, counts, policy, nowMs);
}

/** Why the work of an issue is done, by the state of its pull request. */
export const WORK_DONE = {
  open: { reason: 'its pull request is open', code: 'pull_request_opened' },
  merged: { reason: 'its pull request is merged', code: 'pull_request_merged' },
  closed: { reason: 'its pull request is closed', code: 'pull_request_closed' },
} as const;

/**
 * What becomes of an issue after the merge of its pull request was tested, or after a review of it:
 * its work is done as before, and what follows is decided by the pull request.
 */
export function issueAsDelivered(
  { outcome, code }: Pick<Ending, 'outcome' | 'code'>,
  counts: IssueCounts,
): IssueAfterAttempt {
  const isMerged = outcome === 'completed' && code === 'pull_request_merged';
  return {
    ...counts,
    ...WORK_DONE[isMerged ? 'merged' : 'open'],
    status: 'completed',
    nextRetryAtMs: null,
  };
}

/** A plan that is complete counts as no try of the work, which begins with fresh counts. */
function afterPlan({ isApproved }: HandedInPlan, counts: IssueCounts): IssueAfterAttempt {
  if (isApproved) {
    return {
      status: 'queued',
      reason: 'the plan asks nothing, so the work begins',
      code: 'plan_approved',
      nextRetryAtMs: null,
      runCount: 0,
      failureCount: 0,
    };
  }
  return {
    status: 'blocked',
    reason: 'the plan waits for approval',
    code: 'plan_waiting',
    nextRetryAtMs: null,
    runCount: counts.runCount,
    failureCount: 0,
  };
}

function doneMessage({ readOnly }: Ending): string {
  return readOnly === true ? 'the agent reports that it is done' : 'done, no changes were needed';
}

function triesMessage(count: number): string {
  return count === 1 ? 'the one attempt' : `all ${count} attempts`;
}

function blockedMessage({ agentSummary }: Ending): string {
  const text = agentSummary?.trim() ?? '';
  if (text === '') return 'the agent reports that it is blocked and left no words';
  return `${BLOCKED_PREFIX}${cutText(text, MAX_MESSAGE_CHARS, ' …')}`;
}

function afterCleanEnd(counts: IssueCounts, policy: RetryPolicy, nowMs: number): IssueAfterAttempt {
  if (counts.runCount >= 1 + policy.maxContinuationAttempts) {
    return {
      status: 'failed',
      reason: `${triesMessage(counts.runCount)} ended without the agent reporting done or blocked`,
      code: 'ended_without_result',
      nextRetryAtMs: null,
      runCount: counts.runCount,
      failureCount: 0,
      failureKind: 'retries_exhausted',
    };
  }
  return {
    status: 'retrying',
    reason: 'the agent ended its turns with work left; it continues',
    code: 'work_left',
    nextRetryAtMs: nowMs + CONTINUATION_DELAY_MS,
    runCount: counts.runCount,
    failureCount: 0,
  };
}

function afterFailure(
  ending: Ending,
  counts: IssueCounts,
  policy: RetryPolicy,
  nowMs: number,
): IssueAfterAttempt {
  const why = ending.message ?? ending.failureKind ?? 'the attempt failed';
  const code = ending.code ?? codeOfFailure(ending.failureKind ?? 'agent_error', ending.upstream);
  const failureCount = counts.failureCount + 1;
  const kind = ending.failureKind;
  if (kind === 'budget_exceeded') {
    return {
      status: 'blocked',
      reason: why,
      code,
      nextRetryAtMs: null,
      runCount: counts.runCount,
      failureCount,
      // The control plane ends attempts over the issue's budget; a runner enforces the time of one
      // attempt.
      parkedKind: ending.cancelKind === 'budget' ? 'budget' : 'attempt_time',
    };
  }
  // A further attempt would fail the same way until a person acts; kept work can be delivered
  // later.
  const isLast = counts.runCount >= 1 + policy.maxContinuationAttempts;
  const cannotBegin = BLOCKS_START.has(code) && (isLast || ending.mayElsewhere !== true);
  const isRefused = kind === 'delivery_refused' || cannotBegin;
  if (isRefused || kind === 'delivery_error') {
    return {
      status: 'blocked',
      reason: why,
      code,
      nextRetryAtMs: null,
      runCount: counts.runCount,
      failureCount,
    };
  }
  if (kind !== null && PROVIDER_FAILURES.has(kind)) {
    return afterUpstreamFailure({ ...ending, code, why }, counts, policy, nowMs);
  }
  if (isLast) {
    return {
      status: 'failed',
      reason:
        counts.runCount === 1
          ? why
          : `${triesMessage(counts.runCount)} failed, the last one so: ${why}`,
      code,
      nextRetryAtMs: null,
      runCount: counts.runCount,
      failureCount,
    };
  }
  return {
    status: 'retrying',
    reason: why,
    code,
    nextRetryAtMs: nowMs + retryDelayMs(policy, failureCount),
    runCount: counts.runCount,
    failureCount,
  };
}

/** An upstream's failure counts as no retry, and another choice of the chain continues at once. */
function afterUpstreamFailure(
  { next, upstream, resetAtMs, code, why }: Ending & { code: ReasonCode; why: string },
  counts: IssueCounts,
  policy: RetryPolicy,
  nowMs: number,
): IssueAfterAttempt {
  const trouble = upstreamTrouble(code, why);
  const runCount = Math.max(0, counts.runCount - 1);
  if (next?.kind === 'other') {
    return {
      status: 'queued',
      reason: `${next.to} goes on; ${next.from}: ${trouble}`,
      code: 'failed_over',
      nextRetryAtMs: null,
      runCount,
      failureCount: counts.failureCount,
    };
  }
  const failureCount = counts.failureCount + 1;
  const dueAtMs =
    (next === undefined ? resetAtMs : next.retryAtMs) ?? nowMs + retryDelayMs(policy, failureCount);
  const waitsFor = upstream === 'codehost' ? 'the code host' : 'the model provider';
  return {
    status: 'retrying',
    reason: next?.reason ?? waitingForUpstream(waitsFor, trouble),
    code: next?.code ?? code,
    nextRetryAtMs: Math.max(dueAtMs, nowMs + CONTINUATION_DELAY_MS),
    runCount,
    failureCount,
  };
}
