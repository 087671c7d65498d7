import { asc, eq } from 'drizzle-orm';
import { localAttachments } from '../../../../db/schema/work/local-issues.ts';
import type { LocalTrackerDeps } from '../local-tracker-deps.ts';
import { requireLocalIssue } from '../queries.ts';

const MAX_ATTACHMENTS = 500;

export type LocalAttachment = { url: string; title: string; createdAt: string };

/** Links shown on an issue, oldest first, at most 500. Throws a 404 for an unknown issue. */
export async function listLocalAttachments(
  deps: Pick<LocalTrackerDeps, 'db'>,
  identifier: string,
): Promise<LocalAttachment[]> {
  const issue = await requireLocalIssue(deps.db, identifier);
  const rows = await deps.db
    .select()
    .from(localAttachments)
    .where(eq(localAttachments.issue_id, issue.id))
    .orderBy(asc(localAttachments.created_at_ms), asc(localAttachments.url))
    .limit(MAX_ATTACHMENTS);
  return rows.map((row) => ({
    url: row.url,
    title: row.title,
    createdAt: new Date(row.created_at_ms).toISOString(),
  }));
}
