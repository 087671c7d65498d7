import { WORK_DONE } from '../../attempts/decide.ts';
import { currentAttempt } from '../../attempts/queries.ts';
import { requestCancel } from '../../attempts/request-cancel.ts';
import type { MergeQueueRow } from '../../db/schema/work/merge-queue.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { reasonOfAct } from '../../observe/audit/reason-of-act.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { MergeCandidate } from './queries.ts';
import { moveMergeEntry } from './move-merge-entry.ts';
import { withCandidate } from './with-candidate.ts';

type LeaveDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'connections' | 'wake'>;

/**
 * Takes a pull request out of the merge queue at a person's request, and stops a test under way. A
 * merge that its runner has just pushed still counts. Throws a 404 when it is not in the queue.
 */
export async function leaveQueue(
  deps: LeaveDeps,
  input: { pullRequestId: string; caller: Caller },
): Promise<void> {
  const { pullRequestId, caller } = input;
  await withCandidate(deps, pullRequestId, async (candidate) => {
    const entry = candidate?.entry ?? null;
    if (candidate === undefined || entry === null)
      throw new AppError('not_found', `pull request ${pullRequestId} not found in the merge queue`);
    return leave(deps, { ...candidate, entry }, caller);
  });
}

async function leave(
  deps: LeaveDeps,
  { pullRequest, issue, entry }: MergeCandidate & { entry: MergeQueueRow },
  caller: Caller,
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const { identifier } = issue;
  const code = 'merge_removed';
  const reason = reasonOfAct(code, caller);
  const also = moveMergeEntry(
    deps.db,
    nowMs,
    { entry, identifier },
    { state: 'held', reason, reason_code: code, commit_sha: pullRequest.commit_sha },
  );
  const details = { id: pullRequest.id };
  const audit = { caller, operation: 'pull_request.dequeue', subject: identifier, details };
  const isTesting = entry.state === 'testing' && issue.merging === pullRequest.id;
  const attempt = isTesting ? await currentAttempt(deps.db, issue) : null;
  const isLive = attempt?.status === 'queued' || attempt?.status === 'running';
  // Queued, and not offered to a runner yet.
  if (isTesting && !isLive)
    return setIssueStatus(deps, { issue, status: 'completed', ...WORK_DONE.open, also, audit });
  if (!(await commitChange(deps, { also, audit, nowMs }))) return false;
  if (attempt !== null && isLive)
    await requestCancel(deps, { attempt, issue, reason, code, kind: 'person' });
  return true;
}
