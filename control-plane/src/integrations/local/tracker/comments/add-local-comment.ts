import type { LocalComment } from '@switchyard/shared/api/work/local-issue';
import { commitChange } from '../../../../observe/events/commit-change.ts';
import { issueEvent } from '../../../../issues/rows/issue-event.ts';
import type { Caller } from '../../../../http/caller/caller.ts';
import { type LocalIssueRow, localComments } from '../../../../db/schema/work/local-issues.ts';
import { storableText } from '../storable-text.ts';
import { type LocalCommentRow, localComment } from './local-comment.ts';
import type { LocalTrackerDeps } from '../local-tracker-deps.ts';
import { indexRow, requireLocalIssue } from '../queries.ts';
import { touchLocalIssue } from './touch-local-issue.ts';

/** Adds a person's comment. Throws a 404 for an unknown issue. */
export async function addLocalComment(
  deps: Pick<LocalTrackerDeps, 'db' | 'clock' | 'ids'>,
  caller: Caller,
  input: { identifier: string; body: string },
): Promise<{ issue: LocalIssueRow; comment: LocalComment }> {
  const issue = await requireLocalIssue(deps.db, input.identifier);
  const known = await indexRow(deps.db, issue.id);
  const nowMs = deps.clock.nowMs();
  const row: LocalCommentRow = {
    id: deps.ids.next('cmt'),
    issue_id: issue.id,
    service_key: null,
    author: caller.actor,
    body: storableText(input.body),
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
  const { id, identifier } = issue;
  const { status = 'idle', reason = null, reason_code = null } = known ?? {};
  await commitChange(deps, {
    also: [deps.db.insert(localComments).values(row), touchLocalIssue(deps.db, issue.id, nowMs)],
    audit: {
      caller,
      operation: 'local_issue.comment',
      subject: identifier,
      details: { commentId: row.id },
    },
    events: [issueEvent({ id, identifier, status, reason, reason_code })],
    nowMs,
  });
  return { issue, comment: localComment(row) };
}
