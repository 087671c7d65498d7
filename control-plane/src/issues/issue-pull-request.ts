import type { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { desc, eq } from 'drizzle-orm';
import { pullRequestRecord } from '../pull-requests/pull-request-record.ts';
import { pullRequests } from '../db/schema/work/pull-requests.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';

/** The newest pull request of an issue with its checks as they were last seen. 404: there is none. */
export async function issuePullRequest(
  deps: Pick<Deps, 'db' | 'service'>,
  input: { identifier: string },
): Promise<IssuePullRequest> {
  const rows = await deps.db
    .select()
    .from(pullRequests)
    .where(eq(pullRequests.issue_identifier, input.identifier))
    .orderBy(desc(pullRequests.created_at_ms), desc(pullRequests.id))
    .limit(1);
  const [row] = rows;
  if (row === undefined) {
    throw new AppError('not_found', `pull request of ${input.identifier} not found`);
  }
  const publicOrigin = () => deps.service.publicOrigin;
  return { pullRequest: pullRequestRecord({ publicOrigin }, row), checked: row.checked };
}
