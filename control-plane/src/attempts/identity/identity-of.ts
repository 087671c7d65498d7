import type { IssueRow } from '../../db/schema/work/issues.ts';

/** A text unique to an issue, to derive distinct names from. */
export function identityOf(issue: Pick<IssueRow, 'tracker' | 'id' | 'native_ref'>): string {
  return JSON.stringify([issue.tracker, issue.id, issue.native_ref]);
}
