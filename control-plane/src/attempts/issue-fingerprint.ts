import type { IssueRow } from '../db/schema/work/issues.ts';

/**
 * What a person can change on a tracker issue, as one string: a different fingerprint requeues a
 * parked issue.
 */
export function issueFingerprint(
  issue: Pick<IssueRow, 'state' | 'labels' | 'title' | 'description' | 'priority'>,
): string {
  return JSON.stringify([
    issue.state.trim().toLowerCase(),
    [...issue.labels].sort(),
    issue.title,
    issue.description ?? '',
    issue.priority ?? 0,
  ]);
}
