import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { RequestRow } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { enqueueComment } from '../../jobs/queue/enqueue-effect.ts';
import { settleRequest } from '../rows/store-request.ts';
import type { RequestOfAttempt } from './queries.ts';

/**
 * Stores a person's answer and sends it to the runner; lease renewals repeat it until the engine
 * has received it. The first answer counts: 409 afterwards.
 */
export async function answerQuestion(
  deps: Pick<Deps, 'db' | 'clock' | 'connections'>,
  { request, attempt }: RequestOfAttempt,
  input: { answers: Record<string, string[]>; caller: Caller },
): Promise<RequestRow> {
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
    swap: settleRequest(deps.db, request, answered),
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
  return { ...request, ...answered };
}
