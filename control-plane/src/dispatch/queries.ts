import { and, inArray, isNull, lte, or } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/attempts.ts';
import { type IssueRow, issues } from '../db/schema/issues.ts';
import { type RunnerRow, runners } from '../db/schema/runners.ts';

/** Candidates looked at in one go; the rest wait for the next tick. */
const MAX_CANDIDATES = 5_000;

export type DispatchRows = { candidates: IssueRow[]; live: AttemptRow[]; runners: RunnerRow[] };

/** Everything a dispatch decides by, in one round trip. */
export async function readDispatchRows(db: Database, nowMs: number): Promise<DispatchRows> {
  const [candidates, live, runnerRows] = await db.batch([
    db
      .select()
      .from(issues)
      .where(
        and(
          inArray(issues.status, ['idle', 'queued', 'retrying']),
          or(isNull(issues.next_retry_at_ms), lte(issues.next_retry_at_ms, nowMs)),
        ),
      )
      .limit(MAX_CANDIDATES),
    db.select().from(attempts).where(inArray(attempts.status, ['queued', 'running'])),
    db.select().from(runners).where(isNull(runners.revoked_at_ms)),
  ]);
  return { candidates, live, runners: runnerRows };
}
