import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Database, Statement } from '../db/database.ts';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import { requests } from '../db/schema/work/requests.ts';
import { appendEndsOfOpen } from '../observe/events/append-ends-of-open.ts';

/**
 * Closes an engine's open work when its lease ends: its questions, which the next engine does not
 * know, and its running turn, commands and calls. `lastSeenAtMs` gives the time of their end, as in
 * `EndAttempt`.
 */
export function endOpenWork(
  db: Database,
  attempt: Pick<AttemptRow, 'attempt_id' | 'identifier' | 'epoch'>,
  nowMs: number,
  lastSeenAtMs?: number,
): Statement[] {
  const { attempt_id: attemptId, identifier, epoch } = attempt;
  const isOpen = inArray(requests.state, ['asked', 'answered']);
  return [
    db
      .update(requests)
      .set({ state: 'expired', expires_at_ms: sql`min(${requests.expires_at_ms}, ${nowMs})` })
      .where(and(eq(requests.attempt_id, attemptId), isOpen)),
    ...appendEndsOfOpen(db, nowMs, { attemptId, identifier, epoch, lastSeenAtMs }),
  ];
}
