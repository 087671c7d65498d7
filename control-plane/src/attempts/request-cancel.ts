import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, eq, isNull } from 'drizzle-orm';
import { commitChange } from '../observe/events/commit-change.ts';
import type { AuditEntry } from '../observe/audit/audit-statement.ts';
import type { Caller } from '../http/caller/caller.ts';
import { updateAttempt } from './rows/update-attempt.ts';
import type { Deps } from '../deps.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { cancelledEnding } from './decide.ts';
import { endAttemptSteps } from './end-attempt-steps.ts';

/** Time that an agent has to end by itself after an interrupt. */
export const CANCEL_GRACE_MS = 10_000;

/**
 * Requests that a live attempt stops. A queued one, or one that its runner has released, ends at
 * once; for one at a runner the request is stored, and every lease renewal repeats it until the
 * runner confirms the end. Returns false when the attempt has ended in the meantime.
 */
export async function requestCancel(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections'>,
  input: {
    attempt: AttemptRow;
    issue: IssueRow;
    reason: string;
    code: ReasonCode;
    kind: NonNullable<AttemptRow['cancel_kind']>;
    audit?: AuditEntry & { caller: Caller };
  },
): Promise<boolean> {
  const { attempt, issue } = input;
  const nowMs = deps.clock.nowMs();
  const audit = input.audit === undefined ? {} : { audit: input.audit };
  if (attempt.status === 'queued' || attempt.released_at_ms !== null) {
    const config = await deps.config.load();
    const ended = endAttemptSteps(deps.db, {
      attempt,
      issue,
      ending: cancelledEnding(input.reason, input.kind, input.code),
      policy: config.agent,
      nowMs,
      fence: true,
    });
    return commitChange(deps, { also: ended.steps, ...audit, nowMs });
  }
  const asked = {
    cancel_reason: input.reason,
    reason_code: input.code,
    cancel_kind: input.kind,
    cancel_requested_at_ms: nowMs,
  };
  const isUnasked = and(eq(attempts.status, 'running'), isNull(attempts.cancel_requested_at_ms));
  const swap = updateAttempt(deps.db, attempt, asked, isUnasked);
  if (!(await commitChange(deps, { swap, ...audit, nowMs }))) return false;
  if (attempt.runner_id !== null) {
    const { attempt_id: attemptId, epoch } = attempt;
    deps.connections.send(attempt.runner_id, [
      { type: 'cancel', attemptId, epoch, reason: input.reason, graceMs: CANCEL_GRACE_MS },
    ]);
  }
  return true;
}
