import type { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { and, desc, eq, inArray, isNull, or } from 'drizzle-orm';
import { isOfIssue, workedOf } from '../attempts/identity/is-of-issue.ts';
import { pullRequestRecord } from '../ports/code-host/pull-request-record.ts';
import { attempts } from '../db/schema/work/attempts.ts';
import { pullRequests } from '../db/schema/work/pull-requests.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { issueByIdentifier } from './queries.ts';

/**
 * The newest pull request that attempts of an issue opened, also under a former identifier, with
 * its checks at the last sync. 404 when there is none.
 */
export async function issuePullRequest(
  deps: Pick<Deps, 'db'> & { service: Pick<Deps['service'], 'publicOrigin'> },
  input: { identifier: string },
): Promise<IssuePullRequest> {
  const { db } = deps;
  const { identifier } = input;
  const issue = await issueByIdentifier(db, identifier);
  const { tracker = '', id = '' } = issue ?? {};
  const ofIssue = and(eq(attempts.tracker, tracker), eq(attempts.issue_id, id));
  const names = db.select({ name: attempts.identifier }).from(attempts).where(ofIssue);
  const name = pullRequests.issue_identifier;
  const [row] = await db
    .select({ pullRequest: pullRequests, attempt: attempts })
    .from(pullRequests)
    .leftJoin(attempts, eq(attempts.attempt_id, pullRequests.attempt_id))
    .where(
      and(
        or(eq(name, identifier), inArray(name, names)),
        // A pull request whose attempt row is missing names its issue only by identifier.
        or(ofIssue, and(isNull(attempts.attempt_id), eq(name, identifier))),
      ),
    )
    .orderBy(desc(pullRequests.created_at_ms), desc(pullRequests.id))
    .limit(1);
  const isFormer =
    row?.attempt != null && issue !== null && !isOfIssue(workedOf(row.attempt), issue);
  if (row === undefined || isFormer)
    throw new AppError('not_found', `pull request of ${identifier} not found`);
  const publicOrigin = () => deps.service.publicOrigin;
  return {
    pullRequest: pullRequestRecord({ publicOrigin }, row.pullRequest),
    checked: row.pullRequest.checked,
  };
}
