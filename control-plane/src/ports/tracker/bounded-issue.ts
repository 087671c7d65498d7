import { cutText } from '@switchyard/shared/text/cut-text';
import type { TrackerIssue } from './tracker.ts';

/** Trackers allow less of each; what says it is one may allow anything. */
const MAX_NAME_CHARS = 200;
const MAX_TITLE_CHARS = 1_000;
const MAX_DESCRIPTION_CHARS = 200_000;
const MAX_URL_CHARS = 2_000;
const MAX_LABELS = 200;
const MAX_BLOCKERS = 200;

/**
 * An issue as it may be kept, whatever its tracker says: each part has an end, because rows, events and
 * every page repeat them, and holds nothing that a database cannot.
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

/** One that was left out would let the work begin: those that still block come first. */
function fewBlockers(blockers: TrackerIssue['blockedBy']): TrackerIssue['blockedBy'] {
  if (blockers.length <= MAX_BLOCKERS) return blockers;
  return blockers
    .toSorted((a, b) => Number(a.terminal) - Number(b.terminal))
    .slice(0, MAX_BLOCKERS);
}

function bounded(text: string, maxChars: number): string {
  return cutText(text, maxChars, '…').replaceAll('\u0000', '\ufffd');
}
