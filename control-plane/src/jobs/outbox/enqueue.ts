import { sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { outbox } from '../../db/schema/operation/outbox.ts';
import type { Effect } from './effect.ts';

export type OutboxSubject = { tracker: string; issueId: string; attemptId: string | null };

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
    subject: OutboxSubject;
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
    next_try_at_ms: input.dueAtMs ?? nowMs,
    created_at_ms: nowMs,
  };
  const insert = db.insert(outbox).values(row);
  if (!input.repeat) return insert.onConflictDoNothing({ target: outbox.key });
  return insert.onConflictDoUpdate({
    target: outbox.key,
    set: {
      payload,
      attempt_id: row.attempt_id,
      status: 'pending',
      revision: sql`${outbox.revision} + 1`,
      tries: 0,
      next_try_at_ms: row.next_try_at_ms,
      done_at_ms: null,
    },
  });
}

/** Key of the one comment kept on an issue. */
export function commentKey(subject: { tracker: string; issueId: string }): string {
  return `comment:${subject.tracker}:${subject.issueId}`;
}
