import { and, isNotNull, isNull, type SQL } from 'drizzle-orm';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { sessionIsCurrent } from './session-is-current.ts';
import type { RunnerSession } from './runner-session.ts';

/** Condition that the session is current and no stop was requested since the attempt was read. */
export function isUnchangedSinceRead(
  session: RunnerSession,
  { cancel_requested_at_ms: askedAtMs }: AttemptRow,
): SQL | undefined {
  const column = attempts.cancel_requested_at_ms;
  return and(sessionIsCurrent(session), askedAtMs === null ? isNull(column) : isNotNull(column));
}
