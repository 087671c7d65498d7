import type { ReviewState } from '@switchyard/shared/api/pull-requests/review';
import type { ReviewVerdict } from '@switchyard/shared/review/review-result';
import type { MergeSpec } from '@switchyard/shared/protocol/attempt-spec';
import { and, asc, eq, inArray, notInArray, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { isOfIssue } from '../../attempts/identity/is-of-issue.ts';
import type { Database } from '../../db/database.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { mergeQueue, type MergeQueueRow } from '../../db/schema/work/merge-queue.ts';
import { type PullRequestRow, pullRequests } from '../../db/schema/work/pull-requests.ts';
import { reviews } from '../../db/schema/work/reviews.ts';
import { isNewestReview } from '../reviews/queries.ts';
import { mergeMessage } from '../rows/merge-message.ts';

/** Pull requests that one read gives, the oldest first. */
export const MAX_PULL_REQUESTS = 2_000;

/** How the attempt that tests a merge stands. */
export type MergeTest = Pick<
  AttemptRow,
  'status' | 'outcome' | 'reason_code' | 'cancel_kind' | 'error_message' | 'commit_sha'
>;

/** A pull request of the built-in host with its issue and its place in the merge queue. */
export type MergeCandidate = {
  pullRequest: PullRequestRow;
  issue: IssueRow;
  /** Changed files outside the scope of the repository; null: it declares none. */
  filesOutsideScope: number | null;
  /** Null: it is not in the queue. */
  entry: MergeQueueRow | null;
  /** The attempt that tests its merge, or did so last; null: none has. */
  test: MergeTest | null;
  /** Its newest review; null: there is none. */
  review: { state: ReviewState; verdict: ReviewVerdict | null; commitSha: string } | null;
};

const tests = alias(attempts, 'tests');
const one = alias(mergeQueue, 'one');

/**
 * Pull requests of the built-in host: all in the merge queue, those in the line of one of them,
 * those in repositories that are open and not in it, or one.
 */
export async function mergeCandidates(
  db: Database,
  which:
    | 'queued'
    | { inLineOf: string }
    | { openIn: readonly string[] }
    | { pullRequestId: string },
): Promise<MergeCandidate[]> {
  if (typeof which === 'object' && 'openIn' in which && which.openIn.length === 0) return [];
  const rows = await db
    .select({
      pullRequest: pullRequests,
      issue: issues,
      identifier: attempts.identifier,
      key: sql<string | null>`${attempts.spec} ->> '$.workspaceKey'`,
      outsideScope: attempts.outside_scope,
      entry: mergeQueue,
      test: {
        status: tests.status,
        outcome: tests.outcome,
        reason_code: tests.reason_code,
        cancel_kind: tests.cancel_kind,
        error_message: tests.error_message,
        commit_sha: tests.commit_sha,
      },
      review: { state: reviews.state, verdict: reviews.verdict, commitSha: reviews.commit_sha },
    })
    .from(pullRequests)
    .innerJoin(attempts, eq(attempts.attempt_id, pullRequests.attempt_id))
    .innerJoin(issues, and(eq(issues.tracker, attempts.tracker), eq(issues.id, attempts.issue_id)))
    .leftJoin(mergeQueue, eq(mergeQueue.pull_request_id, pullRequests.id))
    .leftJoin(tests, eq(tests.attempt_id, mergeQueue.attempt_id))
    .leftJoin(reviews, isNewestReview)
    .where(and(eq(pullRequests.code_host, 'local'), isWanted(db, which)))
    .orderBy(asc(pullRequests.created_at_ms))
    .limit(MAX_PULL_REQUESTS);
  return rows
    .filter(({ key, identifier, issue }) => isOfIssue({ key, identifier }, issue))
    .map(({ pullRequest, issue, entry, test, review, outsideScope }) => {
      const filesOutsideScope = outsideScope?.files ?? null;
      return { pullRequest, issue, entry, test, review, filesOutsideScope };
    });
}

function isWanted(db: Database, which: Parameters<typeof mergeCandidates>[1]): SQL | undefined {
  const inQueue = db.select({ id: mergeQueue.pull_request_id }).from(mergeQueue);
  if (which === 'queued') return inArray(pullRequests.id, inQueue);
  if ('inLineOf' in which) {
    const isInLine = and(
      eq(one.repository_url, mergeQueue.repository_url),
      eq(one.base, mergeQueue.base),
    );
    const line = inQueue.innerJoin(one, isInLine).where(eq(one.pull_request_id, which.inLineOf));
    return inArray(pullRequests.id, line);
  }
  if ('pullRequestId' in which) return eq(pullRequests.id, which.pullRequestId);
  return and(
    // As the index has it.
    sql`${pullRequests.status} = 'open'`,
    inArray(pullRequests.repository_url, [...which.openIn]),
    notInArray(pullRequests.id, inQueue),
  );
}

/** Ids of all pull requests in the merge queue. */
export async function queuedIds(db: Database): Promise<string[]> {
  const rows = await db.select({ id: mergeQueue.pull_request_id }).from(mergeQueue);
  return rows.map(({ id }) => id);
}

/** The merge that an attempt is to test; null: it is no longer wanted. */
export async function mergeToTest(
  db: Database,
  pullRequestId: string,
  repositoryUrl: string,
): Promise<MergeSpec | null> {
  const [row] = await db
    .select({ pullRequest: pullRequests, expectedCommit: mergeQueue.commit_sha })
    .from(pullRequests)
    .innerJoin(mergeQueue, eq(mergeQueue.pull_request_id, pullRequests.id))
    .where(
      and(
        eq(pullRequests.id, pullRequestId),
        eq(pullRequests.status, 'open'),
        eq(pullRequests.repository_url, repositoryUrl),
        eq(mergeQueue.state, 'testing'),
      ),
    );
  if (row === undefined) return null;
  const { base: baseBranch, branch } = row.pullRequest;
  const { expectedCommit } = row;
  return { baseBranch, branch, expectedCommit, message: mergeMessage(row.pullRequest) };
}
