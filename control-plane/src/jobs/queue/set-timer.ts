import { cutText } from '@switchyard/shared/text/cut-text';
import { eq, inArray, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { type JobRow, jobs } from '../../db/schema/operation/jobs.ts';

/** Kind of the jobs that are never over: what is done again and again, by its name. */
export const TIMER = 'timer';

/**
 * `poll`: the tracker is asked; `local_look`: every issue of the built-in tracker is looked at;
 * `retention`: old rows go; `alerts`: rules are evaluated; `webhook_check`: do others still send? `workspaces`: those of ended
 * issues go; `pull_requests`: open ones are looked at.
 */
const TIMERS = [
  'poll',
  'local_look',
  'retention',
  'alerts',
  'webhook_check',
  'workspaces',
  'pull_requests',
] as const;
export type TimerName = (typeof TIMERS)[number];

type Timer = { dueAtMs: number; payload: Record<string, unknown> };
/** All timers as one read found them. */
export type Timers = { of(name: TimerName): Timer };

const NEVER_SET: Timer = { dueAtMs: 0, payload: {} };
const MAX_ERROR_CHARS = 500;

/** Every timer in one read; one that was never set is due since 0. */
export async function readTimers(db: Database): Promise<Timers> {
  return timersOf(await selectTimers(db));
}

/** The read of all timers, for a batch; `timersOf` makes timers of its rows. */
export function selectTimers(db: Database) {
  return db
    .select()
    .from(jobs)
    .where(inArray(jobs.key, [...TIMERS]));
}

/** The timers that the rows of `selectTimers` are. */
export function timersOf(rows: readonly JobRow[]): Timers {
  const byName = new Map(rows.map((row) => [row.key, row]));
  return {
    of(name) {
      const row = byName.get(name);
      return row === undefined ? NEVER_SET : { dueAtMs: row.due_at_ms, payload: row.payload };
    },
  };
}

/** When a timer is due; 0 when it was never set. */
export async function timerDueAtMs(db: Database, name: TimerName): Promise<number> {
  return (await readTimers(db)).of(name).dueAtMs;
}

/** Sets a timer; what it carries stays unless a new payload is given. */
export function setTimer(
  db: Database,
  name: TimerName,
  dueAtMs: number,
  payload?: Record<string, unknown>,
): Statement {
  const carried = payload === undefined ? {} : { payload };
  const set = { due_at_ms: dueAtMs, ...carried };
  return db
    .insert(jobs)
    .values({ key: name, kind: TIMER, payload: {}, created_at_ms: dueAtMs, ...set })
    .onConflictDoUpdate({ target: jobs.key, set });
}

/** Forgets a timer, which is due never again unless it is set. */
export function stopTimer(db: Database, name: TimerName): Statement {
  return db.delete(jobs).where(eq(jobs.key, name));
}

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
  const before = sql`json_extract(${jobs.payload}, '$.status')`;
  const since = sql`json_extract(${jobs.payload}, '$.sinceMs')`;
  return db
    .update(jobs)
    .set({
      payload: sql`json_object('status', ${status}, 'atMs', ${nowMs},
        'intervalMs', ${intervalMs}, 'allowanceLeft', ${allowanceLeft},
        'error', ${error == null ? null : cutText(error, MAX_ERROR_CHARS)},
        'sinceMs', iif(${before} = ${status}, coalesce(${since}, ${nowMs}), ${nowMs}))`,
    })
    .where(eq(jobs.key, 'poll'));
}
