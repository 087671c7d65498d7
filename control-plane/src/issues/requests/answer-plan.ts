import { enqueuePlanComment } from '../../attempts/plans/hand-in-plan.ts';
import {
  APPROVE,
  EDITED_PLAN,
  isApproval,
  MAX_PLAN_CHARS,
  MAX_REPLY_CHARS,
  PLAN_DECISION,
} from '@switchyard/shared/plan/is-approval';
import { answersOf } from '../../attempts/plans/queries.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import { storeSteers } from '../../attempts/rows/store-steers.ts';
import { settleRequest } from '../../attempts/rows/store-request.ts';
import { expectRowsAffected } from '../../db/commit-steps.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { RequestRow } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { reasonOfAct } from '../../observe/audit/reason-of-act.ts';
import { FRESH_COUNTS, setIssueStatus } from '../set-issue-status.ts';
import { withCurrentIssue } from '../with-current-issue.ts';
import { moveBackToWork } from '../sync/move-back-to-work.ts';

/** A decision about a plan: how its questions were answered, and who did. */
type PlanDecision = {
  request: RequestRow;
  /** Answers by question id: to `plan` the decision, to the others what people say. */
  answers: Record<string, string[]>;
  caller: Caller;
  /** Id of the comment that decides, which is then known as handled; left out: it is none. */
  commentId?: string;
};

/**
 * Decides a plan that waits: with `Approve` its issue is queued for the work, with any other text
 * for another plan, which the agent makes with that text. 409 when the plan waits no longer.
 */
export async function answerPlan(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers' | 'wake'>,
  decision: PlanDecision,
): Promise<RequestRow> {
  const { request, answers, caller, commentId } = decision;
  const text = answers[PLAN_DECISION]?.join('\n').trim() ?? '';
  const edited = answers[EDITED_PLAN]?.join('\n').trim();
  const isApproved = isApproval(text);
  refuseUnclear(answers, { text, edited, isApproved });
  const pair = await attemptWithIssue(deps.db, request.attempt_id);
  const over = new AppError('conflict', 'this plan was decided, or its issue has moved on');
  if (pair === null) throw over;
  const nowMs = deps.clock.nowMs();
  const answered = {
    state: 'resumed' as const,
    answers: isApproved ? { ...answers, [PLAN_DECISION]: [APPROVE] } : answers,
    answered_by: caller.actor,
    answered_at_ms: nowMs,
  };
  const code = isApproved ? 'plan_approved' : 'plan_sent_back';
  const { request_id: requestId, attempt_id: attemptId, identifier } = request;
  const audit = {
    caller,
    operation: isApproved ? 'plan.approve' : 'plan.send_back',
    subject: identifier,
    details: { requestId, attempt: pair.attempt.number, edited: edited !== undefined },
  };
  const data = { requestId, attemptId, identifier };
  const message = {
    message_id: commentId ?? `${requestId}:sent-back`,
    attempt_id: attemptId,
    body: messageOf(text, { ...request, answers }),
    actor: caller.actor,
    created_at_ms: nowMs,
  };
  await withCurrentIssue(deps.db, pair.issue.identifier, async (issue) => {
    if (!waitsWith(issue, request)) throw over;
    const stored = await setIssueStatus(deps, {
      issue,
      status: 'queued',
      reason: reasonOfAct(code, caller),
      code,
      set: {
        ...FRESH_COUNTS,
        ...(isApproved ? { plan_request_id: requestId } : {}),
      },
      also: [
        expectRowsAffected(settleRequest(deps.db, request, answered)),
        ...(isApproved && commentId === undefined
          ? []
          : [storeSteers(deps.db, [{ ...message, delivered_at_ms: isApproved ? nowMs : null }])]),
        ...(await moveBackToWork(deps, nowMs, { issue, key: `reopen:${requestId}` })),
        enqueuePlanComment(deps.db, nowMs, { issue, attemptId }),
        ...appendEvents(deps.db, nowMs, [{ type: 'request.answered', atMs: nowMs, data }]),
      ],
      audit,
    });
    return stored ? true : null;
  });
  deps.wake();
  return { ...request, ...answered };
}

/** 400 for an answer that decides nothing, is too long, or edits a plan that is sent back. */
function refuseUnclear(
  answers: Record<string, string[]>,
  given: { text: string; edited: string | undefined; isApproved: boolean },
): void {
  const { text, edited, isApproved } = given;
  const { [EDITED_PLAN]: _edited, ...replies } = answers;
  const replyChars = Object.values(replies).flat().join('\n').length;
  if (text === '') {
    const message = `answer the question ${PLAN_DECISION} with ${APPROVE}, or with what should be different`;
    throw new AppError('bad_request', message);
  }
  if (replyChars > MAX_REPLY_CHARS)
    throw new AppError('bad_request', `the answers have more than ${MAX_REPLY_CHARS} characters`);
  if (edited === undefined) return;
  if (!isApproved) throw unusable('is given with an approval only');
  if (edited === '') throw unusable('must not be empty');
  if (edited.length > MAX_PLAN_CHARS) throw unusable(`has more than ${MAX_PLAN_CHARS} characters`);
}

function unusable(message: string): AppError {
  const details = [{ path: `answers.${EDITED_PLAN}`, message }];
  return new AppError('bad_request', `${EDITED_PLAN} ${message}`, { details });
}

function waitsWith(issue: IssueRow, { attempt_id: attemptId }: RequestRow): boolean {
  const { status, reason_code: code, current_attempt_id: current } = issue;
  return status === 'blocked' && code === 'plan_waiting' && current === attemptId;
}

/** What a person says of a plan, with the answers to its questions. */
function messageOf(text: string, request: Pick<RequestRow, 'questions' | 'plan' | 'answers'>) {
  const answers = answersOf(request).map(({ question, answer }) => `${question}\n${answer}`);
  return [text, ...answers].join('\n\n');
}
