import type { z } from 'zod';
import type { AbortResponse } from '@switchyard/shared/api/work/issue';
import { isStoppable } from '@switchyard/shared/reasons/needs-of';
import type { Caller } from '../../http/caller/caller.ts';
import { reasonOfAct } from '../../observe/audit/reason-of-act.ts';
import { currentAttempt } from '../../attempts/queries.ts';
import { requestCancel } from '../../attempts/request-cancel.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { setIssueStatus } from '../set-issue-status.ts';
import { withCurrentIssue } from '../with-current-issue.ts';

/**
 * Stops an issue's running or waiting work, also where it waits for a person. It then needs nobody
 * until it is retried or changed in the tracker. Throws a 404 for an unknown issue, a 409 when
 * there is nothing to stop.
 */
export async function abortIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections' | 'wake'>,
  input: { identifier: string; caller: Caller },
): Promise<z.infer<typeof AbortResponse>> {
  const { caller } = input;
  const reason = reasonOfAct('stopped_by_person', caller);
  const answer = await withCurrentIssue(deps.db, input.identifier, async (issue) => {
    const { identifier, status, reason_code: reasonCode } = issue;
    const requestedAt = new Date(deps.clock.nowMs()).toISOString();
    const stopping = { ok: true, status: 'stopping' as const, requestedAt };
    const audit = { caller, operation: 'issue.abort', subject: identifier };
    const attempt = await currentAttempt(deps.db, issue);
    if (attempt !== null && (attempt.status === 'running' || attempt.status === 'queued')) {
      if (attempt.cancel_requested_at_ms !== null) return { ...stopping, alreadyStopping: true };
      const asked = await requestCancel(deps, {
        attempt,
        issue,
        reason,
        code: 'stopped_by_person',
        kind: 'person',
        audit,
      });
      if (!asked) throw new AppError('conflict', `issue ${identifier} has just ended`);
    } else if (status !== 'running' && isStoppable({ status, reasonCode })) {
      const change = { status: 'cancelled', reason, code: 'stopped_by_person' } as const;
      if (!(await setIssueStatus(deps, { issue, ...change, audit }))) return null;
    } else {
      throw new AppError('conflict', `nothing runs or waits for issue ${identifier}`);
    }
    return { ...stopping, alreadyStopping: false };
  });
  if (!answer.alreadyStopping) deps.wake();
  return answer;
}
