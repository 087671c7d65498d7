import { ne, sql } from 'drizzle-orm';
import { localAttachments } from '../../../../db/schema/work/local-issues.ts';
import { oneLineTitle } from '../storable-text.ts';
import type { LocalTrackerDeps } from '../local-tracker-deps.ts';
import { commitServiceWrite, issueForService } from './service-write.ts';

/** Shows a link on an issue, once per url; a new title replaces the old one. */
export async function attachToLocalIssue(
  deps: LocalTrackerDeps,
  issueId: string,
  attachment: { url: string; title: string },
): Promise<void> {
  const issue = await issueForService(deps, issueId);
  await commitServiceWrite(deps, issue, {
    statement: deps.db
      .insert(localAttachments)
      .values({
        issue_id: issueId,
        url: attachment.url,
        title: oneLineTitle(attachment.title),
        created_at_ms: deps.clock.nowMs(),
      })
      .onConflictDoUpdate({
        target: [localAttachments.issue_id, localAttachments.url],
        set: { title: sql`excluded.title` },
        setWhere: ne(localAttachments.title, sql`excluded.title`),
      }),
    operation: 'local_issue.attach',
    details: { url: attachment.url },
  });
}
