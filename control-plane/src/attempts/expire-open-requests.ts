import { and, eq, inArray } from 'drizzle-orm';
import type { Database, Statement } from '../db/database.ts';
import { requests } from '../db/schema/work/requests.ts';

/** Closes what an engine asked that will not go on: the next one knows nothing of it. */
export function expireOpenRequests(db: Database, attemptId: string): Statement {
  const isOpen = inArray(requests.state, ['asked', 'answered']);
  return db
    .update(requests)
    .set({ state: 'expired' })
    .where(and(eq(requests.attempt_id, attemptId), isOpen));
}
