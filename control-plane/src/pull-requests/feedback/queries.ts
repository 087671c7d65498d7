import { and, asc, eq, gt, inArray, ne, or, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import {
  pullRequestFeedback,
  type PullRequestFeedbackRow,
} from '../../db/schema/work/pull-request-feedback.ts';
import { type PullRequestRow, pullRequests } from '../../db/schema/work/pull-requests.ts';

const isElsewhere = ne(pullRequests.code_host, 'local');
const isOpen = eq(pullRequests.status, 'open');
/** How long a closed pull request is still synced, since a person may reopen it. */
const MAY_REOPEN_MS = 86_400_000;

/** Open and recently closed pull requests on other hosts, those first whose last sync is oldest. */
export async function openPullRequests(
  db: Database,
  nowMs: number,
  limit: number,
): Promise<PullRequestRow[]> {
  const isClosedLately = and(
    eq(pullRequests.status, 'closed'),
    gt(pullRequests.updated_at_ms, nowMs - MAY_REOPEN_MS),
  );
  return db
    .select()
    .from(pullRequests)
    .where(and(isElsewhere, or(isOpen, isClosedLately)))
    .orderBy(asc(sql`coalesce(${pullRequests.looked_at_ms}, 0)`))
    .limit(limit);
}

/**
 * Open pull requests on other hosts with these numbers, heads or bases; `endedToo` adds ended ones.
 */
export async function pullRequestsNamed(
  db: Database,
  names: { numbers: number[]; branches: string[]; endedToo: boolean },
  limit: number,
): Promise<PullRequestRow[]> {
  return db
    .select()
    .from(pullRequests)
    .where(
      and(
        isElsewhere,
        names.endedToo ? undefined : isOpen,
        or(
          inArray(pullRequests.number, names.numbers),
          inArray(pullRequests.branch, names.branches),
          inArray(pullRequests.base, names.branches),
        ),
      ),
    )
    .limit(limit);
}

/** All feedback rounds of a pull request, first to last. */
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
