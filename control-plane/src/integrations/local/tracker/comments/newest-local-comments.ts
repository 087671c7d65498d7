import { desc, eq } from 'drizzle-orm';
import { localComments } from '../../../../db/schema/work/local-issues.ts';
import type { TrackerComment } from '../../../../ports/tracker/tracker.ts';
import type { LocalTrackerDeps } from '../local-tracker-deps.ts';
import { issueForService } from './service-write.ts';

/** The newest comments of an issue, oldest first. Throws a TrackerError for an unknown issue. */
export async function newestLocalComments(
  deps: Pick<LocalTrackerDeps, 'db'>,
  issueId: string,
  limit: number,
): Promise<TrackerComment[]> {
  await issueForService(deps, issueId);
  const rows = await deps.db
    .select({
      author: localComments.author,
      body: localComments.body,
      createdAtMs: localComments.created_at_ms,
    })
    .from(localComments)
    .where(eq(localComments.issue_id, issueId))
    .orderBy(desc(localComments.created_at_ms), desc(localComments.id))
    .limit(limit);
  return rows.toReversed();
}
