import { kindForPullRequest } from '../../attempts/kind-for-pull-request.ts';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { z } from 'zod';
import type { RetryResponse } from '@switchyard/shared/api/work/issue';
import { commitChange } from '../../observe/events/commit-change.ts';
import { reasonOfAct } from '../../observe/audit/reason-of-act.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { forgetUnattendedRuns } from '../../db/rows/update-issue.ts';
import { moveBackToWork } from '../sync/move-back-to-work.ts';
import { freshCounts, setIssueStatus } from '../set-issue-status.ts';
import { withCurrentIssue } from '../with-current-issue.ts';

/**
 * Queues an issue again at a person's request, resets its counts and budget, and moves it back to
 * the started state if it is, or is about to be, inactive. For a queued issue it resets only the
 * counts of unattended runs and starts. 409 while it runs.
 */
export async function retryIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers' | 'wake'>,
  input: { identifier: string; caller: Caller; why?: { reason: string; code: ReasonCode } },
): Promise<z.infer<typeof RetryResponse>> {
  const { caller } = input;
  const { reason, code } = input.why ?? {
    reason: reasonOfAct('retry_requested', caller),
    code: 'retry_requested' as const,
  };
  const answer = await withCurrentIssue(deps.db, input.identifier, async (issue) => {
    if (issue.status === 'running') {
      throw new AppError('conflict', `issue ${issue.identifier} is running; stop it first`);
    }
    const what = kindForPullRequest(issue);
    if (what !== null) {
      const { identifier } = issue;
      throw new AppError(
        'conflict',
        what === 'check'
          ? `the merge of ${identifier} is tested; take it out of the merge queue first`
          : `the pull request of ${identifier} is reviewed; stop the review first`,
      );
    }
    const nowMs = deps.clock.nowMs();
    const audit = { caller, operation: 'issue.retry', subject: issue.identifier };
    if (issue.status === 'queued') {
      await commitChange(deps, { also: [forgetUnattendedRuns(deps.db, issue)], audit, nowMs });
    } else {
      const key = `reopen:${issue.tracker}:${issue.id}:${issue.version}`;
      const also = await moveBackToWork(deps, nowMs, { issue, key });
      const change = { status: 'queued', reason, code, set: freshCounts(issue) } as const;
      if (!(await setIssueStatus(deps, { issue, ...change, also, audit }))) return null;
    }
    const requestedAt = new Date(nowMs).toISOString();
    return { ok: true, status: 'queued' as const, requestedAt };
  });
  deps.wake();
  return answer;
}
