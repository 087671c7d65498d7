import { sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { jobs } from '../../db/schema/operation/jobs.ts';
import type { Effect } from './effect.ts';

export type EffectSubject = { tracker: string; issueId: string; attemptId: string | null };

/** The rows of jobs that are done once; one whose key is there already changes nothing. */
export function enqueueJobs(db: Database, rows: readonly (typeof jobs.$inferInsert)[]): Statement {
  return db
    .insert(jobs)
    .values([...rows])
    .onConflictDoNothing({ target: jobs.key });
}

/** The row of a job that may be done again: the newest wish replaces an unfinished one. */
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
 * The row of an effect, to be put into the batch that decides it. The same key again while the
 * first is unfinished replaces it; after it is done, `repeat` says whether it may run once more.
 */
export function enqueueEffect(
  db: Database,
  nowMs: number,
  input: {
    key: string;
    effect: Effect;
    subject: EffectSubject;
    repeat: boolean;
    /** Not before this, epoch milliseconds; left out: at once. */
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

/** The row of the one comment kept on an issue: written anew from the rows as they are then. */
export function enqueueComment(db: Database, nowMs: number, subject: EffectSubject): Statement {
  return enqueueEffect(db, nowMs, {
    key: `comment:${subject.tracker}:${subject.issueId}`,
    effect: { kind: 'tracker.comment' },
    subject,
    repeat: true,
  });
}
