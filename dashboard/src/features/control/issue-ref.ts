import type { Issue } from '@switchyard/shared/api/work/issue';

/** The facts of an issue that actions need. */
export type IssueRef = Pick<Issue, 'identifier' | 'status' | 'state'>;

/** The facts of an issue that a retry needs. */
export type RetryRef = Pick<Issue, 'identifier' | 'status'>;

/** Identifier of a single issue, `SY-3`, or the number of issues. */
export function nameOf(issues: readonly Pick<Issue, 'identifier'>[]): string {
  return issues.length === 1 ? (issues[0]?.identifier ?? '') : `${issues.length} issues`;
}
