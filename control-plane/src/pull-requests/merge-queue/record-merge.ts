import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import type { MergeQueueRow } from '../../db/schema/work/merge-queue.ts';
import type { Deps } from '../../deps.ts';
import { pullRequestRecord } from '../../ports/code-host/pull-request-record.ts';
import { noteMerged } from '../feedback/record-end.ts';
import { setPullRequestStatus } from '../rows/set-pull-request-status.ts';
import type { MergeCandidate } from './queries.ts';
import { deleteMergeEntry } from './move-merge-entry.ts';

/**
 * Records that a runner has merged a pull request after its test: it leaves the queue, and its issue
 * is moved to done in the tracker. A merge that somebody else recorded only leaves the queue. False
 * if a row was modified meanwhile; the next run then records it.
 */
export async function recordMerge(
  deps: Pick<Deps, 'db' | 'clock' | 'service'>,
  { pullRequest, issue, entry }: MergeCandidate & { entry: MergeQueueRow },
  mergeCommitSha: string,
): Promise<boolean> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const { url } = pullRequestRecord({ publicOrigin: () => deps.service.publicOrigin }, pullRequest);
  const left = deleteMergeEntry(db, nowMs, { entry, identifier: issue.identifier });
  const merged =
    pullRequest.status === 'merged'
      ? []
      : setPullRequestStatus(db, nowMs, pullRequest, {
          status: 'merged',
          mergeCommitSha,
          // The repository has the merge commit, so a close at the same time no longer counts.
          from: ['open', 'closed'],
          caller: { ...SERVICE_CALLER, path: 'merge-queue' },
          url,
        });
  return noteMerged(deps, { ...pullRequest, url }, issue, [...merged, ...left]);
}
