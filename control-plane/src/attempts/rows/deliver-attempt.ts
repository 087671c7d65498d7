import { and, eq, isNull, type SQL } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { updateIssue } from '../../db/rows/update-issue.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import type { Change } from '../../observe/events/commit-change.ts';
import { endOpenWork } from '../end-open-work.ts';
import { freeCanary } from '../upstreams/pause-upstream.ts';
import { type AttemptChange, updateAttempt } from './update-attempt.ts';

const UNTROUBLED = { reason: null, reason_code: null, next_retry_at_ms: null };

/**
 * The change that begins an attempt's delivery: it releases the runner, and from then on only the
 * delivery is retried, even if the control plane or the runner restarts.
 */
export function deliverAttempt(
  db: Database,
  input: {
    attempt: AttemptRow;
    facts: AttemptChange;
    /** False: the branch does not have the commit yet, and a runner must push it first. */
    isPushed: boolean;
    /** The attempt was taken from the runner that now reports its end. */
    isLate?: boolean;
    nowMs: number;
    /**
     * Time of the runner's last message while the attempt ran, if nothing ended the attempt
     * regularly, epoch milliseconds; left out: it ran until now.
     */
    lastSeenAtMs?: number | undefined;
    /**
     * Condition under which the change counts, for example that a runner's session is the newest.
     */
    onlyIf: SQL | undefined;
  },
): Change {
  const { attempt, facts, isPushed, isLate = false, nowMs } = input;
  const { attempt_id: attemptId, identifier, tracker, issue_id: issueId } = attempt;
  const phase = 'delivering';
  const isAsRead = eq(attempts.status, attempt.status);
  const isHeld = and(isAsRead, isNull(attempts.released_at_ms), input.onlyIf);
  const running = { ...UNTROUBLED, status: 'running', queued_since_ms: null } as const;
  return {
    swap: updateAttempt(
      db,
      attempt,
      { ...facts, status: 'running', phase, released_at_ms: nowMs },
      isHeld,
    ),
    also: [
      // The attempt was queued again in the meantime, or another runner works on it.
      ...(isLate
        ? [updateIssue(db, { tracker, id: issueId }, running), freeCanary(db, attemptId)]
        : []),
      ...endOpenWork(db, attempt, nowMs, input.lastSeenAtMs),
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
