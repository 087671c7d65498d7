import { eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';

/** The columns by which a frame of events is judged, without the large specification. */
const leaseColumns = {
  attempt_id: attempts.attempt_id,
  tracker: attempts.tracker,
  issue_id: attempts.issue_id,
  identifier: attempts.identifier,
  number: attempts.number,
  kind: attempts.kind,
  status: attempts.status,
  phase: attempts.phase,
  runner_id: attempts.runner_id,
  epoch: attempts.epoch,
  released_at_ms: attempts.released_at_ms,
  cancel_requested_at_ms: attempts.cancel_requested_at_ms,
  last_seq: attempts.last_seq,
  digest: attempts.digest,
  thread_id: attempts.thread_id,
  model: attempts.model,
  account: attempts.account,
};
export type LeaseRow = NonNullable<Awaited<ReturnType<typeof leaseOfAttempt>>>;

/**
 * Who holds an attempt and the last stored event. Read for every frame, so it selects few columns.
 */
export async function leaseOfAttempt(db: Database, attemptId: string) {
  const rows = await db
    .select(leaseColumns)
    .from(attempts)
    .where(eq(attempts.attempt_id, attemptId))
    .limit(1);
  return rows[0] ?? null;
}
