import type { ReviewState } from '@switchyard/shared/api/pull-requests/review';
import type { ReviewVerdict } from '@switchyard/shared/review/review-result';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { BLOCKS_START } from '@switchyard/shared/reasons/needs-person';
import type { ReviewResult } from '@switchyard/shared/review/review-result';
import type { ReviewMode } from '@switchyard/shared/review/review-policy';
import { cutText } from '@switchyard/shared/text/cut-text';

/** Attempts without a verdict after which a review is not repeated. */
const MAX_TRIES = 3;
const REPEAT_AFTER_MS = 30_000;
const MAX_REASON_CHARS = 1_500;

/** A review, as far as decisions need it. */
export type ReviewPlace = {
  state: ReviewState;
  commitSha: string;
  verdict: ReviewVerdict | null;
  /** The author's agent was given what it found. */
  returned: boolean;
  notBeforeMs: number | null;
};

export type ReviewFacts = {
  /** Of its repository, now. */
  mode: ReviewMode;
  pullRequest: { isOpen: boolean; draft: boolean; commitSha: string };
  issue: {
    status: IssueStatus;
    code: ReasonCode | null;
    /** Its next or present attempt reviews this pull request. */
    isReviewing: boolean;
    /** A trial's scripted model did the work. */
    onTrial: boolean;
  };
  /** The newest review of the pull request; null: there is none. */
  last: ReviewPlace | null;
  isPaused: boolean;
  nowMs: number;
};

export type ReviewStep =
  | { kind: 'keep' }
  /** A review of the present commit begins. */
  | { kind: 'begin' }
  /** The newest review is tried again. */
  | { kind: 'repeat' }
  /** The review under way is no longer wanted. */
  | { kind: 'stop' }
  /** No attempt reviews any longer: what follows from the last one. */
  | { kind: 'settle' }
  | { kind: 'fail'; reason: string }
  /** A person must decide, because the agent has not changed what the review asks to change. */
  | { kind: 'ask-person' };

const KEEP: ReviewStep = { kind: 'keep' };

/** Decides the next step of the reviews of a pull request. Pure. */
export function decideReview(facts: ReviewFacts): ReviewStep {
  const { mode, pullRequest, issue, last, isPaused, nowMs } = facts;
  const { isOpen, draft, commitSha } = pullRequest;
  if (last?.state === 'running') {
    if (!issue.isReviewing || issue.status === 'idle') return { kind: 'settle' };
    return isOpen ? KEEP : { kind: 'stop' };
  }
  const isFree = issue.status === 'completed' && !isPaused;
  const isOfCommit = last?.commitSha === commitSha;
  if (last?.state === 'waiting') {
    if (!isOpen) return { kind: 'fail', reason: 'the pull request ended before its review' };
    if (!isOfCommit) return { kind: 'fail', reason: 'the pull request changed before its review' };
    return isFree && (last.notBeforeMs ?? 0) <= nowMs ? { kind: 'repeat' } : KEEP;
  }
  if (mode === 'off' || !isOpen || draft || issue.onTrial || !isFree) return KEEP;
  if (!isOfCommit) return { kind: 'begin' };
  const isUnheeded = last.verdict === 'changes_requested' && last.returned;
  return mode === 'require' && isUnheeded && issue.code !== 'review_changes_requested'
    ? { kind: 'ask-person' }
    : KEEP;
}

/** A verdict; `due` before there is one, `failed` when there will be none. Null: none is asked for. */
export type ReviewStanding = ReviewVerdict | 'due' | 'failed' | null;

/** How the review of exactly this commit stands. Pure. */
export function standingOfReview(
  mode: ReviewMode,
  last: Pick<ReviewPlace, 'state' | 'commitSha' | 'verdict'> | null,
  commitSha: string,
): ReviewStanding {
  if (mode === 'off') return null;
  if (last?.commitSha !== commitSha) return 'due';
  if (last.state === 'failed') return 'failed';
  return last.verdict ?? 'due';
}

/** How the attempt of a review ended. */
export type EndedReview = {
  outcome: string | null;
  code: ReasonCode | null;
  cancelKind: string | null;
  message: string | null;
  /** What it handed in; null: nothing that can be read. */
  result: ReviewResult | null;
};

export type AfterReview =
  | { kind: 'done'; result: ReviewResult }
  | { kind: 'wait'; reason: string; tries: number; notBeforeMs: number | null }
  | { kind: 'fail'; reason: string };

const FOR_PERSON: ReadonlySet<ReasonCode> = new Set([
  'agent_blocked',
  'review_branch_moved',
  'attempt_time_used',
  'issue_budget_used',
  'tree_budget_used',
  'unattended_runs_used',
  ...BLOCKS_START,
]);

/**
 * Decides what follows when a review's attempt has ended. Trouble of a machine, a provider or an
 * agent is tried again, later each time, and only some times. Pure.
 */
export function afterReview(ended: EndedReview, tries: number, nowMs: number): AfterReview {
  const { outcome, code, cancelKind, message, result } = ended;
  if (outcome === 'completed' && result !== null) return { kind: 'done', result };
  const reason = cutText(message ?? 'it ended without a verdict', MAX_REASON_CHARS, ' …');
  if (cancelKind === 'pause') return { kind: 'wait', reason, tries, notBeforeMs: null };
  const isFinal = outcome === 'cancelled' || (code !== null && FOR_PERSON.has(code));
  const failed = tries + 1;
  if (isFinal || failed >= MAX_TRIES) return { kind: 'fail', reason };
  const notBeforeMs = nowMs + REPEAT_AFTER_MS * 2 ** tries;
  return { kind: 'wait', reason, tries: failed, notBeforeMs };
}

/**
 * Whether the author's agent gets what a review found: it asks for changes, and both the rounds of
 * the policy and the attempts for feedback allow another one. Pure.
 */
export function mayReturn(used: {
  returned: number;
  maxRounds: number;
  feedbackRounds: number;
  maxFeedbackRounds: number;
}): boolean {
  const { returned, maxRounds, feedbackRounds, maxFeedbackRounds } = used;
  return returned < maxRounds && feedbackRounds < maxFeedbackRounds;
}
