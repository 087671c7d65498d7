import { cutText } from '@switchyard/shared/text/cut-text';
import type { TrackerIssue } from './tracker.ts';

/** Limits for names and lists: trackers allow less, but a faulty one may send anything. */
const MAX_NAME_CHARS = 200;
const MAX_TITLE_CHARS = 1_000;
const MAX_DESCRIPTION_CHARS = 200_000;
const MAX_URL_CHARS = 2_000;
const MAX_LABELS = 200;
const MAX_BLOCKERS = 200;

/**
 * An issue limited to what can be stored: long texts and lists are cut, a long url or branch name
 * is dropped, because rows, events and pages repeat them, and NUL characters are replaced.
 */
export function boundedIssue(issue: TrackerIssue): TrackerIssue {
  const { title, description, state, branchName, url, labels, blockedBy } = issue;
  return {
    ...issue,
    title: bounded(title, MAX_TITLE_CHARS),
    description: description === null ? null : bounded(description, MAX_DESCRIPTION_CHARS),
    state: bounded(state, MAX_NAME_CHARS),
    branchName: branchName === null || branchName.length > MAX_NAME_CHARS * 2 ? null : branchName,
    url: url === null || url.length > MAX_URL_CHARS ? null : url,
    labels: labels.slice(0, MAX_LABELS).map((label) => bounded(label, MAX_NAME_CHARS)),
    blockedBy: fewBlockers(blockedBy),
  };
}

/**
 * A limited list of blockers with the active ones first: a dropped active blocker would let the
 * work start.
 */
function fewBlockers(blockers: TrackerIssue['blockedBy']): TrackerIssue['blockedBy'] {
  if (blockers.length <= MAX_BLOCKERS) return blockers;
  return blockers
    .toSorted((a, b) => Number(a.terminal) - Number(b.terminal))
    .slice(0, MAX_BLOCKERS);
}

function bounded(text: string, maxChars: number): string {
  return cutText(text, maxChars, '…').replaceAll('\u0000', '\ufffd');
}
