import { cutText } from '@switchyard/shared/text/cut-text';
import type { TrackerIssue } from './tracker.ts';

/** Limits for names and lists: trackers allow less, but a faulty one may send anything. */
const MAX_NAME_CHARS = 200;
const MAX_TITLE_CHARS = 1_000;
const MAX_DESCRIPTION_CHARS = 200_000;
const MAX_URL_CHARS = 2_000;
const MAX_LABELS = 200;
const MAX_BLOCKERS = 200;
const MAX_SUB_ISSUES = 200;

/**
 * An issue limited to what can be stored: long texts and lists are cut, a long url or branch name
 * is dropped, because rows, events and pages repeat them, and NUL characters are replaced.
 */
export function boundedIssue(issue: TrackerIssue): TrackerIssue {
  const { title, description, state, branchName, url, labels, blockedBy, subIssues } = issue;
  return {
    ...issue,
    title: bounded(title, MAX_TITLE_CHARS),
    description: description === null ? null : bounded(description, MAX_DESCRIPTION_CHARS),
    state: bounded(state, MAX_NAME_CHARS),
    branchName: branchName === null || branchName.length > MAX_NAME_CHARS * 2 ? null : branchName,
    url: url === null || url.length > MAX_URL_CHARS ? null : url,
    labels: labels.slice(0, MAX_LABELS).map((label) => bounded(label, MAX_NAME_CHARS)),
    blockedBy: openFirst(blockedBy, MAX_BLOCKERS),
    ...(subIssues === undefined ? {} : { subIssues: openFirst(subIssues, MAX_SUB_ISSUES) }),
  };
}

/**
 * A limited list of the issues that one waits for, the active ones first: a dropped active one would
 * let the work start.
 */
function openFirst<T extends { terminal: boolean }>(issues: T[], max: number): T[] {
  if (issues.length <= max) return issues;
  return issues.toSorted((a, b) => Number(a.terminal) - Number(b.terminal)).slice(0, max);
}

function bounded(text: string, maxChars: number): string {
  return cutText(text, maxChars, '…').replaceAll('\u0000', '\ufffd');
}
