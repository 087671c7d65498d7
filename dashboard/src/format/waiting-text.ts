import type { FailureKind } from '@switchyard/shared/api/work/attempt';
import type { Issue } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';
import type { Reader } from '@switchyard/shared/reasons/act-of-person';
import { explainReason, reasonLine } from '@switchyard/shared/reasons/explain-reason';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import { failureLabel } from './labels.ts';

type Waiting = Pick<Issue, 'status' | 'reason' | 'reasonCode' | 'blockedBy' | 'nextRetryAt'> &
  Partial<Pick<Issue, 'outOfSight' | 'outOfSightReason' | 'subIssues'>>;

/** Number of open sub-issues that a text names. */
const NAMED_PARTS = 3;

/**
 * Why an issue does not run now; null for one that runs or is done. `failure` is how its newest
 * attempt failed, if known; `reader` is the person who reads the text.
 */
export function waitingText(
  issue: Waiting,
  paused: State['paused'],
  failure: FailureKind | null = null,
  reader: Reader = null,
): string | null {
  const waits = issue.status === 'queued' || issue.status === 'retrying';
  if (waits && paused !== null) return `All work is paused: ${paused.reason}`;
  const parts = openPartsText(issue);
  if (parts !== null) return parts;
  const why = reasonLine(issue, reader);
  if (why !== null) return asSentence(why);
  if (failure !== null && issue.status !== 'running') return failureLabel(failure);
  if (issue.blockedBy.length > 0 && issue.status !== 'completed') {
    return `Waiting for ${issue.blockedBy.map((blocker) => blocker.identifier).join(', ')}`;
  }
  if (issue.status === 'queued') return 'Waiting for a free runner slot';
  return null;
}

/** The sub-issues that an issue waits for; null: that is not why it does not run, or none is known. */
function openPartsText({ reasonCode, outOfSight = false, subIssues = [] }: Waiting): string | null {
  const open = subIssues.filter(({ terminal }) => !terminal);
  if (reasonCode !== 'sub_issues_open' || outOfSight || open.length === 0) return null;
  const named = open.slice(0, NAMED_PARTS).map(({ identifier }) => identifier);
  const more = open.length - named.length;
  return `Waiting for ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What makes an agent start on an issue without any attempt. */
export function firstStartText(issue: Pick<Issue, 'status' | 'reason' | 'reasonCode'>): string {
  if (issue.status === 'queued') {
    return 'The log starts when a runner with a free slot picks up the issue.';
  }
  if (issue.reasonCode === 'sub_issues_open') {
    return 'The issue ends when all of its sub-issues have ended.';
  }
  const explained = explainReason(issue);
  // Where a person must act first, no state of the tracker starts the issue.
  if (explained !== null && explained.next !== '' && explained.action !== 'none')
    return explained.next;
  return 'An agent starts when the issue is in Todo or In Progress and nothing blocks it.';
}

/** Time of the next try; null when none is planned, it is due, or all work is paused. */
export function nextTryAt(
  { nextRetryAt }: Pick<Issue, 'nextRetryAt'>,
  paused: State['paused'],
  nowMs: number,
): string | null {
  const isAhead = nextRetryAt !== null && Date.parse(nextRetryAt) > nowMs;
  return isAhead && paused === null ? nextRetryAt : null;
}
