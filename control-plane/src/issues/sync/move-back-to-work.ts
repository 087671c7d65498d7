import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Statement } from '../../db/database.ts';
import type { Deps } from '../../deps.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { hasPendingMove } from '../../jobs/queue/has-pending-move.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';

/**
 * The move to the started state of an issue that is to be worked on again, to be put into the batch
 * that queues it; nothing for one that is in a state of work and on its way to no other.
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
