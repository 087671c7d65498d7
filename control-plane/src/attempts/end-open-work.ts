import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Database, Statement } from '../db/database.ts';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import { requests } from '../db/schema/work/requests.ts';
import { appendEndsOfOpen } from '../observe/events/append-ends-of-open.ts';

/**
 * Closes what an engine has open whose lease ends: its questions, since the next engine knows nothing
 * of them, and the turn, commands and calls that it was at. `lastSeenAtMs` as for their ends.
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
