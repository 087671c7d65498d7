import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { EDITED_PLAN } from '@switchyard/shared/plan/is-approval';
import { answerQuestion } from '../../attempts/requests/answer-question.ts';
import { requestOfAttempt } from '../../attempts/requests/queries.ts';
import { requestRecord } from '../../attempts/requests/request-record.ts';
import type { RequestRow } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { answerPlan } from './answer-plan.ts';

export type AnswerDeps = Pick<Deps, 'db' | 'clock' | 'connections' | 'trackers' | 'wake'>;

/**
 * Takes a person's answer to an agent's question, or to a plan that it handed in. The first answer
 * counts: 409 afterwards, 404 for an unknown request, 400 for an answer that does not fit it.
 */
export async function answerRequest(
  deps: AnswerDeps,
  input: { requestId: string; answers: Record<string, string[]>; caller: Caller },
): Promise<HumanRequest> {
  const { requestId, answers, caller } = input;
  const found = await requestOfAttempt(deps.db, requestId);
  if (found === null) throw new AppError('not_found', `request ${requestId} not found`);
  const { request } = found;
  requireKnownQuestions(request, answers);
  const answered =
    request.plan === null
      ? await answerQuestion(deps, found, { answers, caller })
      : await answerPlan(deps, { request, answers, caller });
  return requestRecord({ ...answered, isPlanStale: 0 });
}

function requireKnownQuestions(request: RequestRow, answers: Record<string, string[]>): void {
  const known = new Set(request.questions.map((question) => question.id));
  if (request.plan !== null) known.add(EDITED_PLAN);
  const details = Object.keys(answers)
    .filter((id) => !known.has(id))
    .map((id) => ({ path: `answers.${id}`, message: 'no such question' }));
  if (details.length > 0 || Object.keys(answers).length === 0) {
    throw new AppError('bad_request', `answer the questions ${[...known].join(', ')}`, { details });
  }
}
