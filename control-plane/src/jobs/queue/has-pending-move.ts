import { and, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { jobs } from '../../db/schema/operation/jobs.ts';
import type { Effect } from './effect.ts';

const MOVE = 'tracker.transition' satisfies Effect['kind'];

/** Whether a move that the service decided for the issue is still pending. */
export async function hasPendingMove(
  db: Database,
  issue: { tracker: string; id: string },
): Promise<boolean> {
  const found = await db
    .select({ key: jobs.key })
    .from(jobs)
    .where(
      and(
        eq(jobs.issue_id, issue.id),
        eq(jobs.tracker, issue.tracker),
        eq(jobs.kind, MOVE),
        eq(jobs.status, 'pending'),
      ),
    )
    .limit(1);
  return found.length > 0;
}
