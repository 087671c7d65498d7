import { closePlan } from '../attempts/plans/hand-in-plan.ts';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { issueFingerprint } from '../attempts/issue-fingerprint.ts';
import type { Step } from '../db/commit-steps.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { AppError } from '../errors.ts';
import { enqueueComment } from '../jobs/queue/enqueue-effect.ts';
import type { AuditEntry } from '../observe/audit/audit-statement.ts';
import type { Caller } from '../http/caller/caller.ts';
import { type ChangeDeps, commitChange } from '../observe/events/commit-change.ts';
import { issueEvent } from './rows/issue-event.ts';
import { type IssueChange, swapIssue } from '../db/rows/update-issue.ts';

/** Codes with which a plan was decided in the same batch; all others end its waiting. */
const DECIDED: ReadonlySet<ReasonCode> = new Set(['plan_approved', 'plan_sent_back']);

/**
 * Moves an issue without a live attempt to another status, with its event and a comment in its
 * tracker. Returns false and stores nothing if the issue was modified since it was read.
 */
export async function setIssueStatus(
  deps: ChangeDeps,
  input: {
    issue: IssueRow;
    status: Exclude<IssueStatus, 'running'>;
    reason: string;
    code: ReasonCode;
    /** Further columns that change together with the status. */
    set?: IssueChange;
    also?: readonly Step[];
    audit?: AuditEntry & { caller: Caller };
  },
): Promise<boolean> {
  const { issue, status, reason, code, audit } = input;
  const nowMs = deps.clock.nowMs();
  const { tracker, id: issueId, current_attempt_id: attemptId } = issue;
  const subject = { tracker, issueId, attemptId };
  const change = { status, reason, reason_code: code };
  return commitChange(deps, {
    swap: swapIssue(deps.db, issue, {
      next_retry_at_ms: null,
      queued_since_ms: status === 'queued' ? nowMs : null,
      parked_kind: null,
      merging: null,
      reviewing: null,
      parked_fingerprint: issueFingerprint(issue),
      ...input.set,
      ...change,
    }),
    also: [
      ...(input.also ?? []),
      ...(DECIDED.has(code) ? [] : closePlan(deps.db, nowMs, issue)),
      enqueueComment(deps.db, nowMs, subject),
    ],
    ...(audit === undefined ? {} : { audit }),
    events: [
      issueEvent({ ...issue, ...change }, `issue.${status === 'idle' ? 'updated' : status}`),
    ],
    nowMs,
  });
}

/** The columns that reset earlier starts and failures. */
export const FRESH_COUNTS = {
  run_count: 0,
  failure_count: 0,
  tracker_starts_ms: null,
  unattended_runs: 0,
} as const satisfies IssueChange;

/** The columns that reset earlier starts, failures and spent budget, as after a person's retry. */
export function freshCounts(issue: IssueRow): IssueChange {
  return {
    ...FRESH_COUNTS,
    budget_from_tokens: issue.tokens.total,
    budget_from_attempts: issue.attempt_count,
  };
}

/** The error for a caller whose change of an issue lost a race. */
export function issueConflict({ identifier }: Pick<IssueRow, 'identifier'>): AppError {
  return new AppError('conflict', `issue ${identifier} was modified concurrently; reload`);
}
