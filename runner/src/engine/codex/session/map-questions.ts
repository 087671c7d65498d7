import type { Question } from '../../agent-engine.ts';
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
