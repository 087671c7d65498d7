import type { Question } from '@switchyard/shared/api/work/question';

/** One question's half-finished answer: an option by its label, or words of one's own. */
export type Draft = { choice: string | null; text: string };

/** The answers to send, by question id; null while one question has none. */
export function answersFrom(
  questions: readonly Question[],
  drafts: Record<string, Draft>,
): Record<string, string[]> | null {
  const answers: Record<string, string[]> = {};
  for (const question of questions) {
    const draft = drafts[question.id];
    // A secret is sent to the letter: blanks may belong to it.
    const typed = question.isSecret ? draft?.text : draft?.text.trim();
    const answer = draft?.choice ?? typed ?? '';
    if (answer === '') return null;
    answers[question.id] = [answer];
  }
  return answers;
}
