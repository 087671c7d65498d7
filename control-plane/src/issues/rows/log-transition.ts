import type { Database, Statement } from '../../db/database.ts';
import { transitions } from '../../db/schema/work/transitions.ts';

/** Whom the log names for a move that was seen in the tracker; who made it is not known. */
export const TRACKER_ACTOR = 'tracker';

/** One move of an issue, to be put into the batch that stores its new state. */
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
