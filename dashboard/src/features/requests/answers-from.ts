import type { Question } from '@switchyard/shared/api/work/question';
import { recordOf } from '../../format/text-of.ts';

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

/** What of half-finished answers may be kept as texts, by question id: never a secret. */
export function keptOf(
  questions: readonly Question[],
  drafts: Record<string, Draft>,
): Record<string, string> {
  const open = questions.filter(({ id, isSecret }) => !isSecret && drafts[id] !== undefined);
  return Object.fromEntries(open.map(({ id }) => [id, JSON.stringify(drafts[id])]));
}

/** The others: half-finished secrets, which are kept nowhere but on the page. */
export function secretsOf(
  questions: readonly Question[],
  drafts: Record<string, Draft>,
): Record<string, Draft> {
  const secret = new Set(questions.filter(({ isSecret }) => isSecret).map(({ id }) => id));
  return Object.fromEntries(Object.entries(drafts).filter(([id]) => secret.has(id)));
}

/** The way back; what anybody may have left there is taken for what it is. */
export function draftsFrom(
  questions: readonly Question[],
  kept: Readonly<Record<string, string>>,
): Record<string, Draft> {
  const drafts: Record<string, Draft> = {};
  for (const { id, isSecret } of questions) {
    if (isSecret || kept[id] === undefined) continue;
    const { choice, text } = recordOf(parsed(kept[id]));
    if (typeof text !== 'string') continue;
    drafts[id] = { choice: typeof choice === 'string' ? choice : null, text };
  }
  return drafts;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
