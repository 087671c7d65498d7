import { cutText } from '@switchyard/shared/text/cut-text';
import { eq } from 'drizzle-orm';
import { sendSteers, storeSteers } from '../../attempts/rows/store-steers.ts';
import { commitSteps } from '../../db/commit-steps.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import { currentAttempt } from '../../attempts/queries.ts';
import { beforeFirstAttempt, steers } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { visibleLine, visibleText } from '../../attempts/prompt/untrusted-text.ts';
import { issueById } from '../queries.ts';
import { forgetUnattendedRuns } from '../../db/rows/update-issue.ts';
import { retryIssue } from './retry-issue.ts';

/** The tracker's clock may differ from ours. */
const CLOCKS_APART_MS = 30_000;
/** Longer words are not for a running turn. */
const MAX_COMMENT_CHARS = 20_000;

/**
 * By delivery or by poll, whichever comes first; again is nothing new.
 * A person's comment steers a live turn, and wakes an issue that is blocked or failed. It is kept
 * for the agent in any case: what no turn takes goes into the prompt of the next attempt.
 */
export async function handleComment(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'sockets' | 'events' | 'trackers' | 'wake'>,
  input: {
    tracker: string;
    issueId: string;
    commentId: string;
    author: string;
    body: string;
    /** Epoch milliseconds; what was said before the last attempt ended wakes nothing. */
    writtenAtMs?: number | null;
  },
): Promise<void> {
  const issue = await issueById(deps.db, { tracker: input.tracker, id: input.issueId });
  if (issue === null) return;
  const author = visibleLine(input.author);
  const caller = { ...SERVICE_CALLER, actor: author, path: `comment:${input.commentId}` };
  const attempt = await currentAttempt(deps.db, issue);
  const live = attempt !== null && (attempt.status === 'running' || attempt.status === 'queued');
  const nowMs = deps.clock.nowMs();
  const text = cutText(visibleText(input.body), MAX_COMMENT_CHARS);
  const [repeated] = await deps.db
    .select({ id: steers.message_id })
    .from(steers)
    .where(eq(steers.message_id, input.commentId));
  const steer = { messageId: input.commentId, text };
  const record = { operation: 'issue.steer', subject: issue.identifier };
  const isNew = repeated === undefined;
  const stored =
    live && isNew
      ? [
          ...sendSteers(deps.db, nowMs, attempt, [{ ...steer, actor: author }]),
          auditStatement(deps.db, nowMs, caller, record),
        ]
      : [
          storeSteers(deps.db, [
            {
              message_id: steer.messageId,
              attempt_id: attempt?.attempt_id ?? beforeFirstAttempt(issue),
              body: steer.text,
              actor: author,
              created_at_ms: nowMs,
            },
          ]),
        ];
  await commitSteps(deps, [...stored, ...(isNew ? [forgetUnattendedRuns(deps.db, issue)] : [])]);
  if (issue.status === 'blocked' || issue.status === 'failed') {
    const endedAtMs = attempt?.ended_at_ms ?? 0;
    // What was heard before wakes only where nothing ran since, as after a crash in between.
    const apartMs = repeated === undefined ? CLOCKS_APART_MS : 0;
    if ((input.writtenAtMs ?? endedAtMs) < endedAtMs - apartMs) return;
    const why = { reason: `comment by ${author}`, code: 'comment_received' as const };
    await retryIssue(deps, { identifier: issue.identifier, caller, why });
    return;
  }
  if (repeated !== undefined) return;
  if (attempt === null || attempt.status !== 'running' || attempt.runner_id === null) return;
  deps.sockets.send(attempt.runner_id, [
    { type: 'steer', attemptId: attempt.attempt_id, epoch: attempt.epoch, steer },
  ]);
}
