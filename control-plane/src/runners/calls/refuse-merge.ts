import { and, eq, exists, type SQL } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { mergeQueue } from '../../db/schema/work/merge-queue.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';

/**
 * Why a tested merge must not be pushed to its base, for people: somebody took the pull request out
 * of the queue or ended it during the test. Null when it may be pushed.
 */
export async function refuseMerge(
  db: Database,
  attempt: Pick<AttemptRow, 'attempt_id' | 'repository_url' | 'cancel_requested_at_ms' | 'spec'>,
  asked: { branch: string; repositoryUrl: string },
): Promise<string | null> {
  const { merge } = attempt.spec;
  if (attempt.repository_url !== asked.repositoryUrl) return 'this repository is not the attempt’s';
  if (merge?.baseBranch !== asked.branch) return 'this branch is not the base of the pull request';
  if ((attempt.spec.checks ?? []).length === 0) return 'no check has tested the merge';
  if (attempt.cancel_requested_at_ms !== null) return 'the attempt is being stopped';
  const [row] = await db
    .select({ status: pullRequests.status })
    .from(mergeQueue)
    .innerJoin(pullRequests, eq(pullRequests.id, mergeQueue.pull_request_id))
    .where(isTestedBy(attempt));
  if (row === undefined) return 'its pull request was taken out of the merge queue';
  return row.status === 'open' ? null : `its pull request is ${row.status}`;
}

type Tested = Pick<AttemptRow, 'attempt_id' | 'repository_url' | 'spec'>;

/** Condition that an attempt still tests the merge of an open pull request, for a commit. */
export function mergeIsWanted(db: Database, attempt: Tested): SQL {
  const isOpen = eq(pullRequests.status, 'open');
  const wanted = db
    .select({ id: pullRequests.id })
    .from(mergeQueue)
    .innerJoin(pullRequests, eq(pullRequests.id, mergeQueue.pull_request_id))
    .where(and(isTestedBy(attempt), isOpen));
  return exists(wanted);
}

function isTestedBy({ attempt_id: attemptId, repository_url: url, spec }: Tested): SQL | undefined {
  return and(
    eq(mergeQueue.attempt_id, attemptId),
    eq(mergeQueue.state, 'testing'),
    eq(mergeQueue.repository_url, url),
    eq(mergeQueue.base, spec.merge?.baseBranch ?? ''),
    eq(mergeQueue.commit_sha, spec.merge?.expectedCommit ?? ''),
  );
}
