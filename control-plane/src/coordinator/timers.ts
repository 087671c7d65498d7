import { eq, sql } from 'drizzle-orm';
import type { Database, Statement } from '../db/database.ts';
import { timers } from '../db/schema/outbox.ts';

/** `poll`: the tracker is asked; `retention`: old rows go; `webhook_check`: do others still send? */
export type TimerName = 'poll' | 'retention' | 'alerts' | 'webhook_check';

/** When a timer is due; 0 when it was never set. */
export async function timerDueAtMs(db: Database, name: TimerName): Promise<number> {
  const [row] = await db.select().from(timers).where(eq(timers.name, name));
  return row?.due_at_ms ?? 0;
}

/** Sets a timer. */
export function setTimer(db: Database, name: TimerName, dueAtMs: number): Statement {
  return db
    .insert(timers)
    .values({ name, due_at_ms: dueAtMs, payload: {} })
    .onConflictDoUpdate({ target: timers.name, set: { due_at_ms: dueAtMs } });
}

const MAX_ERROR_CHARS = 500;

/** Notes on the poll's timer how it went, and since when it goes that way. */
export function notePoll(
  db: Database,
  { nowMs, status, error }: { nowMs: number; status: string; error: string | null },
): Statement {
  const before = sql`json_extract(${timers.payload}, '$.status')`;
  const since = sql`json_extract(${timers.payload}, '$.sinceMs')`;
  return db
    .update(timers)
    .set({
      payload: sql`json_object('status', ${status}, 'atMs', ${nowMs},
        'error', ${error?.slice(0, MAX_ERROR_CHARS) ?? null},
        'sinceMs', iif(${before} = ${status}, coalesce(${since}, ${nowMs}), ${nowMs}))`,
    })
    .where(eq(timers.name, 'poll'));
}
