import type { MergeState } from '@switchyard/shared/api/pull-requests/merge-queue';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { BLOCKS_START } from '@switchyard/shared/reasons/needs-person';
import type { MergePolicy } from '@switchyard/shared/merge/merge-policy';
import { priorityRank } from '@switchyard/shared/priority-rank';
import type { ReviewStanding } from '../reviews/decide.ts';
import { namesText } from '@switchyard/shared/text/units/names-text';
import { cutText } from '@switchyard/shared/text/cut-text';

/** Who enters pull requests that the policy of their repository queues. */
export const ENTERED_BY_POLICY = 'service';
/** Tests without a result after which a person must act. */
const MAX_TRIES = 5;
const AGAIN_AFTER_MS = 15_000;
const MAX_REASON_CHARS = 1_500;

/** A pull request's place in the merge queue, as far as decisions need it. */
export type Place = {
  state: MergeState;
  /** Head of the branch for which the state holds. */
  commitSha: string;
  code: ReasonCode;
  reason: string;
  enteredBy: string;
};

export type AdmissionFacts = {
  /** Of its repository; null: the queue merges nothing there. */
  policy: MergePolicy | null;
  pullRequest: {
    commitSha: string;
    draft: boolean;
    changedLines: number;
    /** Changed files outside the scope of the repository; null: it declares none. */
    filesOutsideScope: number | null;
    /** How the review of this commit stands. */
    review: ReviewStanding;
  };
  /** A review must have approved the commit. */
  needsApproval: boolean;
  /** An agent works on its issue, or will. */
  isWorkedOn: boolean;
  /** Its issue counts as done by the agent. */
  isDone: boolean;
  /** Null: it is not in the queue. */
  place: Place | null;
};

export type Admission =
  | { kind: 'keep' }
  /** It leaves the queue. */
  | { kind: 'drop' }
  /** It waits for its turn from now on. */
  | { kind: 'wait' }
  | { kind: 'hold'; code: ReasonCode; reason: string };

/**
 * Decides whether an open pull request is in the merge queue, when nothing tests it. What a person
 * asked to merge counts only for the commit that the person saw. Pure.
 */
export function decideAdmission(facts: AdmissionFacts): Admission {
  const { policy, pullRequest, needsApproval, isWorkedOn, isDone, place } = facts;
  if (policy === null) return { kind: place === null ? 'keep' : 'drop' };
  if (isWorkedOn) return { kind: 'keep' };
  const { commitSha } = pullRequest;
  const isSame = place?.commitSha === commitSha;
  if (place?.state === 'returned' && isSame) {
    const reason = `the agent did not change it after this: ${place.reason}`;
    return { kind: 'hold', code: place.code, reason: cutReason(reason) };
  }
  if (policy.mode === 'ask') return underAsk(place, commitSha);
  const isByPolicy = place?.state === 'waiting' && place.enteredBy === ENTERED_BY_POLICY;
  if (isSame && !isByPolicy && place.code !== 'merge_condition') return { kind: 'keep' };
  if (pullRequest.draft || !isDone) return { kind: 'keep' };
  if (pullRequest.review === 'due') return { kind: place === null ? 'keep' : 'drop' };
  const unmet =
    unmetCondition(policy, pullRequest) ??
    unmetReview({ review: pullRequest.review, needsApproval });
  if (unmet === null) return { kind: isSame && isByPolicy ? 'keep' : 'wait' };
  if (isSame && place.reason === unmet) return { kind: 'keep' };
  return { kind: 'hold', code: 'merge_condition', reason: unmet };
}

function underAsk(place: Place | null, commitSha: string): Admission {
  if (place === null) return { kind: 'keep' };
  if (place.commitSha === commitSha) {
    const isOfPolicy = place.state === 'waiting' && place.enteredBy === ENTERED_BY_POLICY;
    return { kind: isOfPolicy || place.code === 'merge_condition' ? 'drop' : 'keep' };
  }
  const reason = 'it changed since its merge was asked for; queue it again to merge what it is now';
  return { kind: 'hold', code: 'merge_branch_moved', reason };
}

function unmetCondition(
  { max_changed_lines: maxLines, within_scope: withinScope }: MergePolicy,
  { changedLines, filesOutsideScope }: AdmissionFacts['pullRequest'],
): string | null {
  if (maxLines !== undefined && changedLines > maxLines)
    return `it changes ${changedLines} lines, and more than ${maxLines} are left to a person`;
  if (withinScope !== true || filesOutsideScope === 0) return null;
  if (filesOutsideScope === null) return 'its repository declares no scope that it could keep to';
  const files = filesOutsideScope === 1 ? 'a file' : `${filesOutsideScope} files`;
  return `it changes ${files} outside the scope of its repository`;
}

/** Why a pull request is not merged for its review; null: the review does not prevent it. */
function unmetReview({
  review,
  needsApproval,
}: {
  review: ReviewStanding;
  needsApproval: boolean;
}): string | null {
  if (!needsApproval || review === 'approved') return null;
  return review === 'changes_requested'
    ? 'its review asks for changes'
    : 'its review ended without a verdict';
}

/** How the test of a merge ended without a merge, as its attempt says. */
export type FailedTest = {
  outcome: string | null;
  code: ReasonCode | null;
  cancelKind: string | null;
  message: string | null;
};

export type AfterTest =
  | { kind: 'wait'; code: ReasonCode; reason: string; tries: number; notBeforeMs: number | null }
  | { kind: 'hold'; code: ReasonCode; reason: string; tries: number }
  /** The agent gets it as feedback, while it has attempts for it. */
  | { kind: 'return'; code: ReasonCode; reason: string };

const OF_WORK: ReadonlySet<ReasonCode> = new Set(['merge_conflict', 'checks_failed']);
const FOR_PERSON: ReadonlySet<ReasonCode> = new Set([
  'merge_branch_moved',
  'merge_removed',
  'delivery_refused',
  ...BLOCKS_START,
]);

/**
 * Decides what follows a test without a merge; null: no attempt has begun it, because its issue was
 * stopped before. What failed by the work goes back to the agent, what failed by a machine is tested
 * again a few times. Pure.
 */
export function afterTest(test: FailedTest | null, tries: number, nowMs: number): AfterTest {
  if (test === null) {
    const reason = 'its issue was stopped or moved before the merge was tested';
    return { kind: 'hold', code: 'merge_removed', reason, tries };
  }
  const { outcome, cancelKind, code, message } = test;
  const reason = cutReason(message ?? 'the test of the merge failed');
  if (outcome === 'cancelled' && cancelKind === 'pause')
    return { kind: 'wait', code: 'merge_queued', reason, tries, notBeforeMs: null };
  if (outcome === 'cancelled') return { kind: 'hold', code: 'merge_removed', reason, tries };
  if (code !== null && OF_WORK.has(code)) return { kind: 'return', code, reason };
  if (code !== null && FOR_PERSON.has(code)) return { kind: 'hold', code, reason, tries };
  if (tries + 1 >= MAX_TRIES) {
    const last = cutReason(`tested ${tries + 1} times without a result, the last time: ${reason}`);
    return { kind: 'hold', code: 'merge_failed', reason: last, tries: tries + 1 };
  }
  const isMoved = code === 'merge_base_moved';
  return {
    kind: 'wait',
    code: isMoved ? 'merge_base_moved' : 'merge_queued',
    reason: isMoved ? reason : cutReason(`tested again soon: ${reason}`),
    tries: tries + 1,
    notBeforeMs: isMoved ? null : nowMs + AGAIN_AFTER_MS * 2 ** tries,
  };
}

function cutReason(text: string): string {
  return cutText(text, MAX_REASON_CHARS, ' …');
}

/** A pull request in the queue of its base branch. */
export type Queued = {
  id: string;
  /** Repository and base branch. */
  line: string;
  state: MergeState;
  /** Of its issue: 1 is the most urgent, 4 the least; others come last. */
  priority: number | null;
  enteredAtMs: number;
  notBeforeMs: number | null;
  /** Identifiers of open issues that block its issue. */
  blockers: readonly string[];
  /** Why its issue lets it wait, for people; null: the agent is done with it. */
  waitsForIssue: string | null;
};

/** Sorts by priority, then by the time at which they were queued. */
export function compareQueued(a: Queued, b: Queued): number {
  return (
    priorityRank(a.priority) - priorityRank(b.priority) ||
    a.enteredAtMs - b.enteredAtMs ||
    (a.id < b.id ? -1 : 1)
  );
}

/**
 * Ids of the pull requests whose merge is tested next: one for each base branch, so that each is
 * tested on what the one before it left. One that must wait lets the next one pass. Pure.
 */
export function nextToTest(queued: readonly Queued[], nowMs: number): string[] {
  const busy = new Set(queued.filter(({ state }) => state === 'testing').map(({ line }) => line));
  const next: string[] = [];
  for (const one of queued.toSorted(compareQueued)) {
    if (one.state !== 'waiting' || busy.has(one.line) || whyNotYet(one, nowMs) !== null) continue;
    busy.add(one.line);
    next.push(one.id);
  }
  return next;
}

/** Why a pull request is passed over for now, for people; null: its turn can come. */
export function whyNotYet(
  { waitsForIssue, blockers, notBeforeMs }: Queued,
  nowMs: number,
): string | null {
  if (waitsForIssue !== null) return waitsForIssue;
  if (blockers.length > 0) {
    const named = namesText(blockers.slice(0, MAX_NAMED), blockers.length);
    return `waits for ${named}, which must be done first`;
  }
  return notBeforeMs !== null && notBeforeMs > nowMs ? 'waits before it is tested again' : null;
}

const MAX_NAMED = 5;
