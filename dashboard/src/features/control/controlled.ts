import type { Issue } from '@switchyard/shared/api/work/issue';

/** What one has to know of an issue to do something with it. */
export type Controlled = Pick<Issue, 'identifier' | 'status' | 'state'>;

/** `SY-3`, or how many there are. */
export function nameOf(issues: readonly Controlled[]): string {
  return issues.length === 1 ? (issues[0]?.identifier ?? '') : `${issues.length} issues`;
}
