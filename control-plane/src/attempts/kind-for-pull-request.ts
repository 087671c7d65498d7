import type { IssueRow } from '../db/schema/work/issues.ts';

/**
 * The kind of the attempt that an issue is queued for on behalf of its pull request: a test of its
 * merge, or a review. Null: the issue itself is worked on, or nothing is.
 */
export function kindForPullRequest({
  merging,
  reviewing,
}: Pick<IssueRow, 'merging' | 'reviewing'>): 'check' | 'review' | null {
  if (merging !== null) return 'check';
  return reviewing === null ? null : 'review';
}
