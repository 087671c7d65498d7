import { sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { jobs } from '../../db/schema/operation/jobs.ts';
import type { Effect } from './effect.ts';

export type EffectSubject = { tracker: string; issueId: string; attemptId: string | null };

/**
 * Returns the statement that inserts jobs. A job whose key already exists stays as it is and is not
 * run again.
 */
export function enqueueJobs(db: Database, rows: readonly (typeof jobs.$inferInsert)[]): Statement {
  return db
    .insert(jobs)
    .values([...rows])
    .onConflictDoNothing({ target: jobs.key });
}

/**
 * Inserts a job that may run again: an existing row with its key is replaced and becomes pending.
 */
export function repeatJob(db: Database, row: typeof jobs.$inferInsert): Statement {
  const { payload, attempt_id, due_at_ms } = row;
  const revision = sql`${jobs.revision} + 1`;
  const fresh = { status: 'pending' as const, tries: 0, done_at_ms: null, last_error: null };
  return db
    .insert(jobs)
    .values(row)
    .onConflictDoUpdate({
      target: jobs.key,
      set: { ...fresh, payload, attempt_id, due_at_ms, revision },
    });
}

/**
 * The row of an effect, for the batch that decides it. With `repeat`, a row with the same key is
 * replaced and runs again, also while it runs or after it is done. Without `repeat`, a key that
 * already exists makes this a no-op.
 */
export function enqueueEffect(
  db: Database,
  nowMs: number,
  input: {
    key: string;
    effect: Effect;
    subject: EffectSubject;
    repeat: boolean;
    /** Earliest time of the effect, epoch milliseconds; left out: at once. */
    dueAtMs?: number;
  },
): Statement {
  const { kind, ...payload } = input.effect;
  const row = {
    key: input.key,
    kind,
    tracker: input.subject.tracker,
    issue_id: input.subject.issueId,
    attempt_id: input.subject.attemptId,
    payload,
    due_at_ms: input.dueAtMs ?? nowMs,
    created_at_ms: nowMs,
  };
  return input.repeat ? repeatJob(db, row) : enqueueJobs(db, [row]);
}

/**
 * Enqueues an update of the issue's status comment; its text is built from the rows when the job
 * runs.
 */
export function enqueueComment(db: Database, nowMs: number, subject: EffectSubject): Statement {
  return enqueueEffect(db, nowMs, {
    key: `comment:${subject.tracker}:${subject.issueId}`,
    effect: { kind: 'tracker.comment' },
    subject,
    repeat: true,
  });
}
