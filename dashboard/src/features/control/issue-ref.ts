import type { Issue } from '@switchyard/shared/api/work/issue';

/** What one has to know of an issue to do something with it. */
export type IssueRef = Pick<Issue, 'identifier' | 'status' | 'state'>;

/** What one has to know of an issue to retry it. */
export type RetryRef = Pick<Issue, 'identifier' | 'status'>;

/** `SY-3`, or how many there are. */
export function nameOf(issues: readonly Pick<Issue, 'identifier'>[]): string {
  return issues.length === 1 ? (issues[0]?.identifier ?? '') : `${issues.length} issues`;
}
