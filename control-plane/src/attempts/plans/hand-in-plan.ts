import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { MAX_QUESTION_MS } from '@switchyard/shared/protocol/limits';
import type { Question } from '@switchyard/shared/api/work/question';
import { APPROVE, PLAN_DECISION } from '@switchyard/shared/plan/is-approval';
import { and, eq, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { requests } from '../../db/schema/work/requests.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import type { HandedInPlan } from '../decide.ts';

/** Id of the request that hands in an attempt's plan: an attempt has one plan at most. */
export function planRequestId({ attempt_id: attemptId }: Pick<AttemptRow, 'attempt_id'>): string {
  return `req_plan_${attemptId.replace(/^att_/, '')}`;
}

/** The steps that hand in a plan: a request that waits, or one that the policy approved. */
export function handInPlan(
  db: Database,
  nowMs: number,
  given: { attempt: AttemptRow; issue: IssueRow; plan: HandedInPlan },
): Statement[] {
  const { attempt, issue, plan } = given;
  const { attempt_id: attemptId, identifier, epoch } = attempt;
  const requestId = planRequestId(attempt);
  const approval = {
    state: 'resumed' as const,
    answers: { [PLAN_DECISION]: [APPROVE] },
    answered_by: 'service',
    answered_at_ms: nowMs,
  };
  const insert = db.insert(requests).values({
    request_id: requestId,
    attempt_id: attemptId,
    epoch,
    identifier,
    engine_request_id: PLAN_DECISION,
    state: 'asked',
    questions: questionsAbout(plan),
    plan: plan.text,
    asked_at_ms: nowMs,
    expires_at_ms: nowMs + MAX_QUESTION_MS,
    ...(plan.isApproved ? approval : {}),
  });
  const comment = enqueuePlanComment(db, nowMs, { issue, attemptId });
  const data = { requestId, attemptId, identifier, question: DECISION.question };
  const asked = appendEvents(db, nowMs, [{ type: 'request.asked', atMs: nowMs, data }]);
  return [insert, comment, ...(plan.isApproved ? [] : asked)];
}

const DECISION: Question = {
  id: PLAN_DECISION,
  header: 'Plan',
  question: 'Approve the plan, or say what should be different.',
  options: [{ label: APPROVE, description: 'The work begins.' }],
  isSecret: false,
};

function questionsAbout({ questions }: HandedInPlan): Question[] {
  const own = questions.map((question, at) => ({
    id: `question_${at + 1}`,
    header: 'Question of the plan',
    question,
    options: [],
    isSecret: false,
  }));
  return [DECISION, ...own];
}

type Planned = Pick<
  IssueRow,
  'tracker' | 'id' | 'identifier' | 'reason_code' | 'current_attempt_id'
>;

/** Closes the plan that an issue waits with, for the batch in which it waits no longer. */
export function closePlan(db: Database, nowMs: number, issue: Planned): Statement[] {
  const { identifier, reason_code: code, current_attempt_id: attemptId } = issue;
  if (code !== 'plan_waiting' || attemptId === null) return [];
  const requestId = planRequestId({ attempt_id: attemptId });
  const expired = {
    state: 'expired' as const,
    expires_at_ms: sql`min(${requests.expires_at_ms}, ${nowMs})`,
  };
  const data = { requestId, attemptId, identifier };
  return [
    db
      .update(requests)
      .set(expired)
      .where(and(eq(requests.request_id, requestId), eq(requests.state, 'asked'))),
    enqueuePlanComment(db, nowMs, { issue, attemptId }),
    ...appendEvents(db, nowMs, [{ type: 'request.expired', atMs: nowMs, data }]),
  ];
}

/** Enqueues an update of a plan's comment; its text is built from the rows when the job runs. */
export function enqueuePlanComment(
  db: Database,
  nowMs: number,
  given: { issue: Pick<IssueRow, 'tracker' | 'id'>; attemptId: string },
): Statement {
  const { issue, attemptId } = given;
  const requestId = planRequestId({ attempt_id: attemptId });
  return enqueueEffect(db, nowMs, {
    key: `plan-comment:${requestId}`,
    effect: { kind: 'tracker.plan', requestId },
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId },
    repeat: true,
  });
}
