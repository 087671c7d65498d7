import type { Database, Statement } from '../../db/database.ts';
import { transitions } from '../../db/schema/work/transitions.ts';

/** Actor of a logged move that a sync observed: the tracker does not say who made it. */
export const TRACKER_ACTOR = 'tracker';

/** The statement that logs one move of an issue, for the batch that stores its new state. */
export function logTransition(
  db: Database,
  nowMs: number,
  move: {
    issue: { tracker: string; id: string; identifier: string };
    from: string;
    to: string;
    reason: string | null;
    actor: string;
  },
): Statement {
  return db.insert(transitions).values({
    tracker: move.issue.tracker,
    issue_id: move.issue.id,
    identifier: move.issue.identifier,
    from_state: move.from,
    to_state: move.to,
    reason: move.reason,
    actor: move.actor,
    at_ms: nowMs,
  });
}
