import type { ReviewSpec } from '@switchyard/shared/protocol/attempt-spec';
import { and, asc, count, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { isOfIssue } from '../../attempts/identity/is-of-issue.ts';
import type { Database } from '../../db/database.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { type PullRequestRow, pullRequests } from '../../db/schema/work/pull-requests.ts';
import { type ReviewRow, reviews } from '../../db/schema/work/reviews.ts';

/** Pull requests that one read gives, the oldest first. */
const MAX_PULL_REQUESTS = 2_000;
/** Reviews of a pull request that are shown. */
const MAX_SHOWN = 50;

/** The attempt that reviews, or did so last. */
export type ReviewRun = Pick<
  AttemptRow,
  | 'status'
  | 'outcome'
  | 'reason_code'
  | 'cancel_kind'
  | 'error_message'
  | 'summary'
  | 'engine'
  | 'model'
>;

/** A pull request of the built-in host with its issue and its newest review. */
export type ReviewCandidate = {
  pullRequest: PullRequestRow;
  issue: IssueRow;
  /** Null: it was never reviewed. */
  last: ReviewRow | null;
  /** Null: no attempt has begun the newest review. */
  run: ReviewRun | null;
};

const runs = alias(attempts, 'runs');
/** Its first column is never null: by that, Drizzle tells a row from none. */
const shownRun = {
  status: runs.status,
  outcome: runs.outcome,
  reason_code: runs.reason_code,
  cancel_kind: runs.cancel_kind,
  error_message: runs.error_message,
  summary: runs.summary,
  engine: runs.engine,
  model: runs.model,
};

/** Condition of a join that finds the newest review of a pull request. */
export const isNewestReview = and(
  eq(reviews.pull_request_id, pullRequests.id),
  eq(
    reviews.number,
    sql`(select max(n.number) from reviews n where n.pull_request_id = ${pullRequests.id})`,
  ),
);

/**
 * Pull requests of the built-in host: those that are open in repositories, with all whose review has
 * not ended, or one.
 */
export async function reviewCandidates(
  db: Database,
  which: { openIn: readonly string[] } | { pullRequestId: string },
): Promise<ReviewCandidate[]> {
  const rows = await db
    .select({
      pullRequest: pullRequests,
      issue: issues,
      identifier: attempts.identifier,
      key: sql<string | null>`${attempts.spec} ->> '$.workspaceKey'`,
      last: reviews,
      run: shownRun,
    })
    .from(pullRequests)
    .innerJoin(attempts, eq(attempts.attempt_id, pullRequests.attempt_id))
    .innerJoin(issues, and(eq(issues.tracker, attempts.tracker), eq(issues.id, attempts.issue_id)))
    .leftJoin(reviews, isNewestReview)
    .leftJoin(runs, eq(runs.attempt_id, reviews.attempt_id))
    .where(and(eq(pullRequests.code_host, 'local'), isWanted(db, which)))
    .orderBy(asc(pullRequests.created_at_ms))
    .limit(MAX_PULL_REQUESTS);
  return rows
    .filter(({ key, identifier, issue }) => isOfIssue({ key, identifier }, issue))
    .map(({ pullRequest, issue, last, run }) => ({ pullRequest, issue, last, run }));
}

function isWanted(db: Database, which: Parameters<typeof reviewCandidates>[1]): SQL | undefined {
  if ('pullRequestId' in which) return eq(pullRequests.id, which.pullRequestId);
  const unfinished = db
    .select({ id: reviews.pull_request_id })
    .from(reviews)
    // As the index has it.
    .where(sql`${reviews.state} in ('waiting', 'running')`);
  const isUnfinished = inArray(pullRequests.id, unfinished);
  if (which.openIn.length === 0) return isUnfinished;
  const isOpen = and(
    sql`${pullRequests.status} = 'open'`,
    inArray(pullRequests.repository_url, [...which.openIn]),
  );
  return or(isOpen, isUnfinished);
}

/** How often what reviews found was given to the author's agent. */
export async function returnedReviews(db: Database, pullRequestId: string): Promise<number> {
  const [row] = await db
    .select({ returned: count() })
    .from(reviews)
    .where(and(eq(reviews.pull_request_id, pullRequestId), eq(reviews.returned, true)));
  return row?.returned ?? 0;
}

/** The newest reviews of a pull request with their attempts, newest first. */
export async function reviewsOf(
  db: Database,
  pullRequestId: string,
): Promise<{ review: ReviewRow; run: ReviewRun | null }[]> {
  return db
    .select({ review: reviews, run: shownRun })
    .from(reviews)
    .leftJoin(runs, eq(runs.attempt_id, reviews.attempt_id))
    .where(eq(reviews.pull_request_id, pullRequestId))
    .orderBy(desc(reviews.number))
    .limit(MAX_SHOWN);
}

/** The verdict on an issue's newest pull request as it is now; null: it has none. */
export async function verdictOnWork(
  db: Database,
  { tracker, id }: Pick<IssueRow, 'tracker' | 'id'>,
): Promise<Pick<ReviewRow, 'verdict' | 'findings'> | null> {
  const [row] = await db
    .select({ verdict: reviews.verdict, findings: reviews.findings })
    .from(reviews)
    .innerJoin(pullRequests, isNewestReview)
    .where(
      and(
        eq(reviews.tracker, tracker),
        eq(reviews.issue_id, id),
        eq(reviews.state, 'done'),
        eq(reviews.commit_sha, pullRequests.commit_sha),
      ),
    )
    .orderBy(desc(pullRequests.created_at_ms))
    .limit(1);
  return row ?? null;
}

/** What an attempt is to review: the commit, and the branch that has it. */
export type ReviewTask = { spec: ReviewSpec; branch: string; base: string };

/** The review that an attempt is offered; null: it is no longer wanted. */
export async function reviewToDo(
  db: Database,
  pullRequestId: string,
  repositoryUrl: string,
): Promise<ReviewTask | null> {
  const [row] = await db
    .select({ pullRequest: pullRequests, expectedCommit: reviews.commit_sha })
    .from(pullRequests)
    .innerJoin(reviews, isNewestReview)
    .where(
      and(
        eq(pullRequests.id, pullRequestId),
        eq(pullRequests.status, 'open'),
        eq(pullRequests.repository_url, repositoryUrl),
        eq(reviews.state, 'running'),
      ),
    );
  if (row === undefined) return null;
  const { base_commit: baseCommit, branch, base } = row.pullRequest;
  return { spec: { expectedCommit: row.expectedCommit, baseCommit }, branch, base };
}
