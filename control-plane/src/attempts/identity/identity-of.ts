import type { IssueRow } from '../../db/schema/work/issues.ts';

/** What no other issue ever has, as a text to make names from. */
export function identityOf(issue: Pick<IssueRow, 'tracker' | 'id' | 'native_ref'>): string {
  return JSON.stringify([issue.tracker, issue.id, issue.native_ref]);
}
