import { asc, count, eq } from 'drizzle-orm';
import type { LocalComment } from '@switchyard/shared/api/work/local-issue';
import { localComments } from '../../../../db/schema/work/local-issues.ts';
import { localComment } from './local-comment.ts';
import type { LocalTrackerDeps } from '../local-tracker-deps.ts';
import { requireLocalIssue } from '../queries.ts';

/** A page of an issue's comments, oldest first. Throws a 404 for an unknown issue. */
export async function listLocalComments(
  deps: Pick<LocalTrackerDeps, 'db'>,
  input: { identifier: string; limit: number; offset: number },
): Promise<{ comments: LocalComment[]; total: number }> {
  const issue = await requireLocalIssue(deps.db, input.identifier);
  const ofIssue = eq(localComments.issue_id, issue.id);
  const [rows, totals] = await deps.db.batch([
    deps.db
      .select()
      .from(localComments)
      .where(ofIssue)
      .orderBy(asc(localComments.created_at_ms), asc(localComments.id))
      .limit(input.limit)
      .offset(input.offset),
    deps.db.select({ total: count() }).from(localComments).where(ofIssue),
  ]);
  return { comments: rows.map(localComment), total: totals[0]?.total ?? 0 };
}
