import { cutText } from '@switchyard/shared/text/cut-text';
import { eq, inArray, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { type JobRow, jobs } from '../../db/schema/operation/jobs.ts';

/** Kind of the jobs that recur for ever, each under its own name. */
export const TIMER = 'timer';

/**
 * `poll`: polls the tracker; `local_look`: syncs the built-in tracker; `retention`: deletes old
 * rows; `alerts`: evaluates rules; `webhook_check`: checks that providers still send; `workspaces`:
 * removes those of ended issues; `pull_requests`: syncs open ones.
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
/** All timers as read at one moment. */
export type Timers = { of(name: TimerName): Timer };

const NEVER_SET: Timer = { dueAtMs: 0, payload: {} };
const MAX_ERROR_CHARS = 500;

/** Reads all timers; one that was never set counts as due. */
export async function readTimers(db: Database): Promise<Timers> {
  return timersOf(await selectTimers(db));
}

/** The query for all timers, for a batch; `timersOf` turns its rows into timers. */
export function selectTimers(db: Database) {
  return db
    .select()
    .from(jobs)
    .where(inArray(jobs.key, [...TIMERS]));
}

/** Turns the rows of `selectTimers` into timers. */
export function timersOf(rows: readonly JobRow[]): Timers {
  const byName = new Map(rows.map((row) => [row.key, row]));
  return {
    of(name) {
      const row = byName.get(name);
      return row === undefined ? NEVER_SET : { dueAtMs: row.due_at_ms, payload: row.payload };
    },
  };
}

/** When a timer is due, epoch milliseconds; 0 when it was never set. */
export async function timerDueAtMs(db: Database, name: TimerName): Promise<number> {
  return (await readTimers(db)).of(name).dueAtMs;
}

/** Sets a timer; its payload is kept unless a new one is given. */
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

/** Deletes a timer that waits for nothing; like one never set, each run then checks it again. */
export function stopTimer(db: Database, name: TimerName): Statement {
  return db.delete(jobs).where(eq(jobs.key, name));
}

/** Records the result of a poll on its timer, and since when polls have had this result. */
export function notePoll(
  db: Database,
  note: {
    nowMs: number;
    status: string;
    error: string | null;
    /** Time until the next poll, milliseconds. */
    intervalMs: number;
    /** Remaining share of the tracker's rate limit, 0 to 1; null when not known. */
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
