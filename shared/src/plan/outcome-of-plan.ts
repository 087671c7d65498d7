import { EDITED_PLAN, isApproval, PLAN_DECISION } from './is-approval.ts';

type Answers = Readonly<Record<string, readonly string[]>> | null;

/** What a person decided about a plan; null: nobody has decided it. */
export type PlanOutcome = 'approved' | 'approved_as_edited' | 'sent_back' | null;

export function outcomeOfPlan(answers: Answers): PlanOutcome {
  const decision = answers?.[PLAN_DECISION]?.join('\n').trim() ?? '';
  if (decision === '') return null;
  if (!isApproval(decision)) return 'sent_back';
  return answers?.[EDITED_PLAN] === undefined ? 'approved' : 'approved_as_edited';
}

/** The text of a plan as it was decided: as a person edited it, else as the agent wrote it. */
export function textOfPlan(plan: string, answers: Answers): string {
  return answers?.[EDITED_PLAN]?.join('\n') ?? plan;
}

/** The questions that an agent asks with a request: what decides its plan is none of them. */
export function ownQuestions<Question extends { id: string }>(request: {
  questions: readonly Question[];
  /** Null: the request hands in no plan, so that the agent chose all ids. */
  plan: unknown;
}): Question[] {
  const { questions, plan } = request;
  return questions.filter(({ id }) => plan === null || id !== PLAN_DECISION);
}
