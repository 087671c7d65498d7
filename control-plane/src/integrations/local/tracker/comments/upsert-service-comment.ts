import { toHex } from '@switchyard/shared/text/to-hex';
import { ne, sql } from 'drizzle-orm';
import { localComments } from '../../../../db/schema/work/local-issues.ts';
import { storableText } from '../storable-text.ts';
import type { LocalTrackerDeps } from '../local-tracker-deps.ts';
import { commitServiceWrite, issueForService } from './service-write.ts';
import { touchLocalIssue } from './touch-local-issue.ts';

/** Creates or edits the comment that the service maintains under `key`; returns its id. */
export async function upsertServiceComment(
  deps: LocalTrackerDeps,
  input: { issueId: string; key: string; body: string },
): Promise<string> {
  const issue = await issueForService(deps, input.issueId);
  const id = await commentId(input.issueId, input.key);
  const nowMs = deps.clock.nowMs();
  await commitServiceWrite(deps, issue, {
    statement: deps.db
      .insert(localComments)
      .values({
        id,
        issue_id: input.issueId,
        service_key: input.key,
        author: 'service',
        body: storableText(input.body),
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
      })
      .onConflictDoUpdate({
        target: localComments.id,
        set: { body: sql`excluded.body`, updated_at_ms: nowMs },
        setWhere: ne(localComments.body, sql`excluded.body`),
      }),
    also: [touchLocalIssue(deps.db, issue.id, nowMs)],
    operation: 'local_issue.comment',
    details: { commentId: id, key: input.key },
  });
  return id;
}

/** The id derived from issue and key, so that the primary key prevents a second comment. */
async function commentId(issueId: string, key: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([issueId, key]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return `cmt_${toHex(digest.subarray(0, 16))}`;
}
