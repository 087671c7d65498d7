import { isApproval, MAX_REPLY_CHARS, PLAN_DECISION } from '@switchyard/shared/plan/is-approval';
import { openRequest } from '../../attempts/requests/queries.ts';
import { answerPlan } from '../requests/answer-plan.ts';
import { cutText } from '@switchyard/shared/text/cut-text';
import { eq } from 'drizzle-orm';
import { sendSteers, storeSteers } from '../../attempts/rows/store-steers.ts';
import { commitSteps } from '../../db/commit-steps.ts';
import { type Caller, SERVICE_CALLER } from '../../http/caller/caller.ts';
import { AppError } from '../../errors.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import { currentAttempt } from '../../attempts/queries.ts';
import { beforeFirstAttempt, type RequestRow, steers } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { visibleLine, visibleText } from '../../attempts/prompt/untrusted-text.ts';
import { issueById } from '../queries.ts';
import { forgetUnattendedRuns } from '../../db/rows/update-issue.ts';
import { retryIssue } from './retry-issue.ts';

/** Tolerance for a difference between the tracker's clock and that of this service. */
const CLOCKS_APART_MS = 30_000;
/** Characters of a comment that are stored for the agent; the rest is cut. */
const MAX_COMMENT_CHARS = 20_000;

/**
 * Handles a comment from a webhook or a poll; handling it twice is a no-op. A person's comment
 * steers a live turn and requeues an issue that is blocked or failed. It is stored in any case: a
 * comment that no turn receives is added to the prompt of the next attempt. A plan that waits is
 * decided by it.
 */
export async function handleComment(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'trackers' | 'wake'>,
  input: {
    tracker: string;
    issueId: string;
    commentId: string;
    author: string;
    body: string;
    /** Epoch milliseconds. A comment written before the last attempt ended requeues nothing. */
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
  const asked = isNew ? await openRequest(deps.db, attempt?.attempt_id ?? null) : null;
  const plan = asked?.plan == null ? null : asked;
  if (plan !== null && (await decidesPlan(deps, plan, { ...input, text, caller }))) return;
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
  await commitSteps(deps.db, [...stored, ...(isNew ? [forgetUnattendedRuns(deps.db, issue)] : [])]);
  // An approval that is older than the plan is about something else.
  if (plan !== null && isApproval(text)) return;
  if (issue.status === 'blocked' || issue.status === 'failed') {
    const endedAtMs = attempt?.ended_at_ms ?? 0;
    // A comment that was handled before requeues the issue only if nothing ran since it was
    // written, as after a crash between the two steps.
    const apartMs = repeated === undefined ? CLOCKS_APART_MS : 0;
    if ((input.writtenAtMs ?? endedAtMs) < endedAtMs - apartMs) return;
    const why = { reason: `comment by ${author}`, code: 'comment_received' as const };
    await retryIssue(deps, { identifier: issue.identifier, caller, why });
    return;
  }
  if (repeated !== undefined) return;
  if (attempt === null || attempt.status !== 'running' || attempt.runner_id === null) return;
  deps.connections.send(attempt.runner_id, [
    { type: 'steer', attemptId: attempt.attempt_id, epoch: attempt.epoch, steer },
  ]);
}

/**
 * Takes a comment as the decision about a plan that waits. False when it is older than the plan, or
 * somebody else was faster.
 */
async function decidesPlan(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers' | 'wake'>,
  plan: RequestRow,
  comment: { commentId: string; text: string; writtenAtMs?: number | null; caller: Caller },
): Promise<boolean> {
  const { commentId, text, writtenAtMs, caller } = comment;
  const nowMs = deps.clock.nowMs();
  const reply = cutText(text.trim(), MAX_REPLY_CHARS);
  if (reply === '' || (writtenAtMs ?? nowMs) < plan.asked_at_ms) return false;
  try {
    const answers = { [PLAN_DECISION]: [reply] };
    await answerPlan(deps, { request: plan, answers, caller, commentId });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return false;
    throw error;
  }
}
