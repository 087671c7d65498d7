import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { explainReason, reasonLine } from '@switchyard/shared/reasons/explain-reason';
import type { Database, Statement } from '../db/database.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { notify } from './notify.ts';

type Issue = Pick<IssueRow, 'tracker' | 'id' | 'identifier' | 'version'>;

/**
 * Notifies people that an issue was picked up, at the first attempt since its counts were reset.
 */
export function notifyIssueClaimed(
  db: Database,
  nowMs: number,
  issue: Issue,
  attempt: { attemptId: string; number: number },
): Statement[] {
  return notify(db, nowMs, {
    id: `ntf_${attempt.attemptId.replace(/^att_/, '')}-0-claimed`,
    type: 'issue_claimed',
    message: `${issue.identifier} was picked up`,
    issue,
    attempt: attempt.number,
    metadata: { attemptId: attempt.attemptId },
  });
}

/** Notifies people that an issue is done although no attempt on it has just ended. */
export function notifyIssueDone(
  db: Database,
  nowMs: number,
  issue: Issue,
  reason: string,
): Statement[] {
  return notify(db, nowMs, {
    id: `ntf_${issue.id.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 64)}-${issue.version}-done`,
    type: 'worker_completed',
    message: `${issue.identifier} is done: ${reason}`,
    issue,
    attempt: null,
  });
}

/** Notifies people that no further attempt will run on an issue although none has just ended. */
export function notifyIssueGivenUp(
  db: Database,
  nowMs: number,
  issue: Issue,
  why: { reason: string; code: ReasonCode },
): Statement[] {
  const standing = { status: 'blocked' as const, reason: why.reason, reasonCode: why.code };
  const next = explainReason(standing)?.next ?? '';
  return notify(db, nowMs, {
    id: `ntf_${issue.id.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 64)}-${issue.version}-parked`,
    type: 'worker_failed',
    message: `${issue.identifier} cannot go on: ${reasonLine(standing)} ${next}`,
    issue,
    attempt: null,
    metadata: { reasonCode: why.code },
  });
}
