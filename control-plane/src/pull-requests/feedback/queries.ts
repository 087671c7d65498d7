import { and, asc, eq, gt, inArray, ne, or, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import {
  pullRequestFeedback,
  type PullRequestFeedbackRow,
} from '../../db/schema/work/pull-request-feedback.ts';
import { type PullRequestRow, pullRequests } from '../../db/schema/work/pull-requests.ts';

const isElsewhere = ne(pullRequests.code_host, 'local');
const isOpen = eq(pullRequests.status, 'open');
/** So long after its end a pull request is still looked at: a person may open it again. */
const MAY_REOPEN_MS = 86_400_000;

/**
 * Open pull requests on other hosts, and those that were closed lately; those first that were not
 * looked at for longest.
 */
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

/** Open pull requests on other hosts by number, head or base; with `endedToo` all of them. */
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
