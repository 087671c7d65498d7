import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Statement } from '../../db/database.ts';
import type { Deps } from '../../deps.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { hasPendingMove } from '../../jobs/queue/has-pending-move.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';

/**
 * The effect that moves a reworked issue back to the tracker's started state, as a row for the
 * batch that queues the issue. Empty if the issue is in an active state and no other move is
 * pending. `key` is the effect's idempotency key.
 */
export async function moveBackToWork(
  { db, trackers }: Pick<Deps, 'db' | 'trackers'>,
  nowMs: number,
  { issue, key }: { issue: IssueRow; key: string },
): Promise<Statement[]> {
  const roles = trackers.get(issue.tracker)?.stateRoles();
  const isActive = roles === undefined || isOneOf(issue.state, roles.active);
  if (isActive && !(await hasPendingMove(db, issue))) return [];
  const move = enqueueEffect(db, nowMs, {
    key,
    effect: { kind: 'tracker.transition', role: 'started' },
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId: issue.current_attempt_id },
    repeat: false,
  });
  return [move];
}
