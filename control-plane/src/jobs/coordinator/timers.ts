import { eq, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { timers } from '../../db/schema/operation/outbox.ts';

/**
 * `poll`: the tracker is asked; `local_look`: every issue of the built-in tracker is looked at;
 * `retention`: old rows go; `webhook_check`: do others still send? `workspaces`: those of ended
 * issues go; `pull_requests`: open ones are looked at.
 */
export type TimerName =
  | 'poll'
  | 'local_look'
  | 'retention'
  | 'alerts'
  | 'webhook_check'
  | 'workspaces'
  | 'pull_requests';

type Timer = { dueAtMs: number; payload: Record<string, unknown> };
/** All timers as one read found them. */
export type Timers = { of(name: TimerName): Timer };

const NEVER_SET: Timer = { dueAtMs: 0, payload: {} };

/** Every timer in one read; one that was never set is due since 0. */
export async function readTimers(db: Database): Promise<Timers> {
  const byName = new Map((await db.select().from(timers)).map((row) => [row.name, row]));
  return {
    of(name) {
      const row = byName.get(name);
      return row === undefined ? NEVER_SET : { dueAtMs: row.due_at_ms, payload: row.payload };
    },
  };
}

/** When a timer is due; 0 when it was never set. */
export async function timerDueAtMs(db: Database, name: TimerName): Promise<number> {
  const [row] = await db.select().from(timers).where(eq(timers.name, name));
  return row?.due_at_ms ?? 0;
}

/** Sets a timer; what it carries stays unless a new payload is given. */
export function setTimer(
  db: Database,
  name: TimerName,
  dueAtMs: number,
  payload?: Record<string, unknown>,
): Statement {
  const carried = payload === undefined ? {} : { payload };
  return db
    .insert(timers)
    .values({ name, due_at_ms: dueAtMs, payload: payload ?? {} })
    .onConflictDoUpdate({ target: timers.name, set: { due_at_ms: dueAtMs, ...carried } });
}

const MAX_ERROR_CHARS = 500;

/** Notes on the poll's timer how it went, and since when it goes that way. */
export function notePoll(
  db: Database,
  note: {
    nowMs: number;
    status: string;
    error: string | null;
    /** Until the next poll. */
    intervalMs: number;
    /** Share of the tracker's allowance, 0 to 1; null: not known. */
    allowanceLeft: number | null;
  },
): Statement {
  const { nowMs, status, error, intervalMs, allowanceLeft } = note;
  const before = sql`json_extract(${timers.payload}, '$.status')`;
  const since = sql`json_extract(${timers.payload}, '$.sinceMs')`;
  return db
    .update(timers)
    .set({
      payload: sql`json_object('status', ${status}, 'atMs', ${nowMs},
        'intervalMs', ${intervalMs}, 'allowanceLeft', ${allowanceLeft},
        'error', ${error?.slice(0, MAX_ERROR_CHARS) ?? null},
        'sinceMs', iif(${before} = ${status}, coalesce(${since}, ${nowMs}), ${nowMs}))`,
    })
    .where(eq(timers.name, 'poll'));
}
