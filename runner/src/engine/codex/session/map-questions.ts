import type { Question } from '../../agent-engine.ts';
import type { AnswerFormat } from '../../session/open-questions.ts';
import { UserInputParams } from '../turn-params.ts';

/** The agent's questions for a person; null when the request has an unknown form. */
export function mapQuestions(params: unknown): { turnId: string; questions: Question[] } | null {
  const parsed = UserInputParams.safeParse(params);
  if (!parsed.success) return null;
  const questions = parsed.data.questions.map(({ id, header, question, isSecret, options }) => ({
    id,
    header,
    question,
    isSecret,
    options: (options ?? []).map(({ label, description }) => ({ label, description })),
  }));
  return { turnId: parsed.data.turnId, questions };
}

/** The engine closes the questions of a turn that ends itself. */
export const ANSWER_FORMAT: AnswerFormat = {
  answered: (_request, answers) => {
    const entries = Object.entries(answers).map(([id, given]) => [id, { answers: given }]);
    return { result: { answers: Object.fromEntries(entries) } };
  },
  cancelled: null,
};
