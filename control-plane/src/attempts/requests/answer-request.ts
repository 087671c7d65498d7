import { and, eq } from 'drizzle-orm';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { type RequestRow, requests } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { enqueueComment } from '../../jobs/queue/enqueue-effect.ts';
import { requestRecord } from './request-record.ts';

/**
 * Stores a person's answer and sends it to the runner; lease renewals repeat it until the engine
 * has received it. The first answer counts: 409 afterwards, 404 for an unknown request, 400 for an
 * answer to a question that was not asked.
 */
export async function answerRequest(
  deps: Pick<Deps, 'db' | 'clock' | 'connections'>,
  input: { requestId: string; answers: Record<string, string[]>; caller: Caller },
): Promise<HumanRequest> {
  const [found] = await deps.db
    .select({ request: requests, attempt: attempts })
    .from(requests)
    .innerJoin(attempts, eq(attempts.attempt_id, requests.attempt_id))
    .where(eq(requests.request_id, input.requestId))
    .limit(1);
  if (found === undefined) throw new AppError('not_found', `request ${input.requestId} not found`);
  const { request, attempt } = found;
  requireKnownQuestions(request, input.answers);
  const nowMs = deps.clock.nowMs();
  const answered = {
    state: 'answered' as const,
    answers: input.answers,
    answered_by: input.caller.actor,
    answered_at_ms: nowMs,
  };
  const subject = {
    tracker: attempt.tracker,
    issueId: attempt.issue_id,
    attemptId: attempt.attempt_id,
  };
  const committed = await commitChange(deps, {
    swap: deps.db
      .update(requests)
      .set(answered)
      .where(and(eq(requests.request_id, input.requestId), eq(requests.state, 'asked'))),
    also: [enqueueComment(deps.db, nowMs, subject)],
    audit: { caller: input.caller, operation: 'request.answer', subject: request.request_id },
    events: [
      {
        type: 'request.answered',
        data: {
          requestId: request.request_id,
          attemptId: request.attempt_id,
          identifier: request.identifier,
        },
      },
    ],
    nowMs,
  });
  if (!committed) throw new AppError('conflict', 'this request was answered or has expired');
  if (attempt.runner_id !== null) {
    deps.connections.send(attempt.runner_id, [
      {
        type: 'answer',
        attemptId: attempt.attempt_id,
        epoch: attempt.epoch,
        answer: { requestId: request.engine_request_id, answers: input.answers },
      },
    ]);
  }
  return requestRecord({ ...request, ...answered });
}

function requireKnownQuestions(request: RequestRow, answers: Record<string, string[]>): void {
  const known = new Set(request.questions.map((question) => question.id));
  const details = Object.keys(answers)
    .filter((id) => !known.has(id))
    .map((id) => ({ path: `answers.${id}`, message: 'no such question' }));
  if (details.length > 0 || Object.keys(answers).length === 0) {
    throw new AppError('bad_request', `answer the questions ${[...known].join(', ')}`, { details });
  }
}
