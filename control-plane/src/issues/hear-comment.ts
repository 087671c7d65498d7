import { SERVICE_CALLER } from '../audit/caller.ts';
import { auditStatement } from '../audit/audit-statement.ts';
import { attemptById } from '../attempts/queries.ts';
import { steers } from '../db/schema/requests.ts';
import type { Deps } from '../deps.ts';
import { issueById } from './queries.ts';
import { retryIssue } from './retry-issue.ts';

/** A person's comment steers a live turn, and wakes an issue that is blocked or failed. */
export async function hearComment(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'sockets' | 'events' | 'trackers' | 'wake'>,
  input: { tracker: string; issueId: string; commentId: string; author: string; body: string },
): Promise<void> {
  const issue = await issueById(deps.db, { tracker: input.tracker, id: input.issueId });
  if (issue === null) return;
  const caller = { ...SERVICE_CALLER, actor: input.author, path: `comment:${input.commentId}` };
  if (issue.status === 'blocked' || issue.status === 'failed') {
    const reason = `woken by a comment of ${input.author}`;
    await retryIssue(deps, { identifier: issue.identifier, caller, reason });
    return;
  }
  const attempt =
    issue.current_attempt_id === null ? null : await attemptById(deps.db, issue.current_attempt_id);
  if (attempt === null || attempt.status !== 'running' || attempt.turn_id === null) return;
  const nowMs = deps.clock.nowMs();
  const steer = { messageId: input.commentId, text: input.body };
  await deps.db.batch([
    deps.db
      .insert(steers)
      .values({
        message_id: steer.messageId,
        attempt_id: attempt.attempt_id,
        body: steer.text,
        actor: input.author,
        created_at_ms: nowMs,
      })
      .onConflictDoNothing(),
    auditStatement(deps.db, nowMs, caller, { operation: 'issue.steer', subject: issue.identifier }),
  ]);
  if (attempt.runner_id !== null) {
    deps.sockets.send(attempt.runner_id, [
      { type: 'steer', attemptId: attempt.attempt_id, epoch: attempt.epoch, steer },
    ]);
  }
}
