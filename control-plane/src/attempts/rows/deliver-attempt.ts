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
    /** It was taken from the runner that tells its end now. */
    isLate?: boolean;
    nowMs: number;
    /** When its runner was last heard while it ran, where nobody ended it; left out: it ran until now. */
    lastSeenAtMs?: number | undefined;
    /** Must hold for the change to count, for example that a runner's session is the newest. */
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
      // It was queued again meanwhile, or another runner is at work on it.
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
