import { and, asc, eq, inArray, ne, or, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import {
  pullRequestFeedback,
  type PullRequestFeedbackRow,
} from '../db/schema/pull-request-feedback.ts';
import { type PullRequestRow, pullRequests } from '../db/schema/pull-requests.ts';

const isOpenElsewhere = and(eq(pullRequests.status, 'open'), ne(pullRequests.code_host, 'local'));

/** Open pull requests on other hosts, those first that were not looked at for longest. */
export async function openPullRequests(db: Database, limit: number): Promise<PullRequestRow[]> {
  return db
    .select()
    .from(pullRequests)
    .where(isOpenElsewhere)
    .orderBy(asc(sql`coalesce(${pullRequests.looked_at_ms}, 0)`))
    .limit(limit);
}

/** Open pull requests on other hosts by number, head or base. */
export async function pullRequestsNamed(
  db: Database,
  names: { numbers: number[]; branches: string[] },
  limit: number,
): Promise<PullRequestRow[]> {
  return db
    .select()
    .from(pullRequests)
    .where(
      and(
        isOpenElsewhere,
        or(
          inArray(pullRequests.number, names.numbers),
          inArray(pullRequests.branch, names.branches),
          inArray(pullRequests.base, names.branches),
        ),
      ),
    )
    .limit(limit);
}

/** Everything that was material on a pull request, first to last. */
export async function roundsOf(
  db: Database,
  pullRequestId: string,
): Promise<PullRequestFeedbackRow[]> {
  return db
    .select()
    .from(pullRequestFeedback)
    .where(eq(pullRequestFeedback.pull_request_id, pullRequestId))
    .orderBy(asc(pullRequestFeedback.round));
}
