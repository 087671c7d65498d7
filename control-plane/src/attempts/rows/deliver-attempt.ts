import { and, eq, isNull, type SQL } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import type { Change } from '../../observe/events/commit-change.ts';
import { type AttemptChange, updateAttempt } from './update-attempt.ts';

/**
 * The change by which the delivery of an attempt begins: its runner is free of it, and from here on
 * only the delivery is repeated, whatever becomes of either half.
 */
export function deliverAttempt(
  db: Database,
  input: {
    attempt: AttemptRow;
    facts: AttemptChange;
    /** False: the commit is kept, and a runner is asked to push it first. */
    isPushed: boolean;
    nowMs: number;
    /** Must hold for the change to count, for example that a runner's session is the newest. */
    onlyIf: SQL | undefined;
  },
): Change {
  const { attempt, facts, isPushed, nowMs } = input;
  const { attempt_id: attemptId, identifier, tracker, issue_id: issueId } = attempt;
  const phase = 'delivering';
  const isHeld = and(eq(attempts.status, 'running'), isNull(attempts.released_at_ms), input.onlyIf);
  return {
    swap: updateAttempt(db, attempt, { ...facts, phase, released_at_ms: nowMs }, isHeld),
    also: [
      enqueueEffect(db, nowMs, {
        key: `${attemptId}:pull-request`,
        effect: { kind: 'codehost.open_pull_request', ...(isPushed ? {} : { push: true }) },
        subject: { tracker, issueId, attemptId },
        repeat: false,
      }),
    ],
    events: [{ type: 'attempt.phase', data: { attemptId, identifier, phase } }],
    nowMs,
  };
}
