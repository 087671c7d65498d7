import type { Database } from '../db/database.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { requireIssue } from './queries.ts';
import { issueConflict } from './set-issue-status.ts';

const MAX_TRIES = 5;

/**
 * Does what a person wishes of an issue, whatever else becomes of its row meanwhile, as by a sync:
 * `act` answers null when the issue was modified since it was read, and decides anew on the next reading.
 * 404 for an unknown issue, 409 when others keep modifying it.
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
