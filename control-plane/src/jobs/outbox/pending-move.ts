import { and, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { outbox } from '../../db/schema/operation/outbox.ts';
import type { Effect } from './effect.ts';

const MOVE = 'tracker.transition' satisfies Effect['kind'];

/** Whether a move of the issue that the service decided on is still to be made. */
export async function hasPendingMove(
  db: Database,
  issue: { tracker: string; id: string },
): Promise<boolean> {
  const found = await db
    .select({ key: outbox.key })
    .from(outbox)
    .where(
      and(
        eq(outbox.issue_id, issue.id),
        eq(outbox.tracker, issue.tracker),
        eq(outbox.kind, MOVE),
        eq(outbox.status, 'pending'),
      ),
    )
    .limit(1);
  return found.length > 0;
}
