import { type SQL, and, asc, desc, eq, isNotNull, or } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type CheckpointRow, checkpoints } from '../../db/schema/work/checkpoints.ts';

const MAX_LISTED = 500;

/** Checkpoints of one attempt over all its leases, oldest first. */
export async function checkpointsOfAttempt(
  db: Database,
  attemptId: string,
): Promise<CheckpointRow[]> {
  return db
    .select()
    .from(checkpoints)
    .where(eq(checkpoints.attempt_id, attemptId))
    .orderBy(asc(checkpoints.epoch), asc(checkpoints.ordinal))
    .limit(MAX_LISTED);
}

type IssueKey = { tracker: string; id: string };

/** The newest checkpoint of an issue that holds work or a session; null when there is none. */
export async function newestCheckpoint(
  db: Database,
  issue: IssueKey,
): Promise<CheckpointRow | null> {
  return newestThat(
    db,
    issue,
    or(isNotNull(checkpoints.commit_sha), isNotNull(checkpoints.session_blob)),
  );
}

/** The newest checkpoint of an issue that has a diff to show. */
export async function newestDiff(db: Database, issue: IssueKey): Promise<CheckpointRow | null> {
  return newestThat(db, issue, isNotNull(checkpoints.diff_blob));
}

async function newestThat(
  db: Database,
  issue: IssueKey,
  holds: SQL | undefined,
): Promise<CheckpointRow | null> {
  const rows = await db
    .select()
    .from(checkpoints)
    .where(and(eq(checkpoints.tracker, issue.tracker), eq(checkpoints.issue_id, issue.id), holds))
    .orderBy(desc(checkpoints.created_at_ms), desc(checkpoints.ordinal))
    .limit(1);
  return rows[0] ?? null;
}
