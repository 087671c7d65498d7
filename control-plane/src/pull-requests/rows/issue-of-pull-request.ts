import { isOfIssue, workedOf } from '../../attempts/identity/is-of-issue.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import type { Database } from '../../db/database.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';
import { issueByIdentifier } from '../../issues/queries.ts';

/**
 * The issue whose attempt opened a pull request, under whatever identifier it has now. Null if it
 * is not known, or if another issue has its id now.
 */
export async function issueOfPullRequest(
  db: Database,
  pullRequest: Pick<PullRequestRow, 'attempt_id' | 'issue_identifier'>,
): Promise<IssueRow | null> {
  const pair = await attemptWithIssue(db, pullRequest.attempt_id);
  if (pair === null) return issueByIdentifier(db, pullRequest.issue_identifier);
  return isOfIssue(workedOf(pair.attempt), pair.issue) ? pair.issue : null;
}
