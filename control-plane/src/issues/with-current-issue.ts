import type { Database } from '../db/database.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { requireIssue } from './queries.ts';
import { issueConflict } from './set-issue-status.ts';

const MAX_TRIES = 5;

/**
 * Runs a person's action on the current row of an issue. `act` returns null when the issue was
 * modified since it was read, and is then run again on the new row. 404 for an unknown issue, 409
 * if it is modified again and again.
 */
export async function withCurrentIssue<T>(
  db: Database,
  identifier: string,
  act: (issue: IssueRow) => Promise<T | null>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const issue = await requireIssue(db, identifier);
    const done = await act(issue);
    if (done !== null) return done;
    if (tries >= MAX_TRIES) throw issueConflict(issue);
  }
}
