import type { Question } from '@switchyard/shared/api/work/question';
import { recordOf } from '../../format/text-of.ts';

/** The unfinished answer to one question: an option by its label, or a text. */
export type Draft = { choice: string | null; text: string };

/** A field with a draft: a question, or another text that is sent with the answers. */
export type DraftField = Pick<Question, 'id' | 'isSecret'>;

/** The answers to send, by question id; null while one question has none. */
export function answersFrom(
  questions: readonly Question[],
  drafts: Record<string, Draft>,
): Record<string, string[]> | null {
  const answers: Record<string, string[]> = {};
  for (const question of questions) {
    const draft = drafts[question.id];
    // A secret is sent unchanged: blanks may be part of it.
    const typed = question.isSecret ? draft?.text : draft?.text.trim();
    const answer = draft?.choice ?? typed ?? '';
    if (answer === '') return null;
    answers[question.id] = [answer];
  }
  return answers;
}

/** The texts of unfinished answers that may be stored, by question id: never secrets. */
export function keptOf(
  fields: readonly DraftField[],
  drafts: Record<string, Draft>,
): Record<string, string> {
  const open = fields.filter(({ id, isSecret }) => !isSecret && drafts[id] !== undefined);
  return Object.fromEntries(open.map(({ id }) => [id, JSON.stringify(drafts[id])]));
}

/** The unfinished secrets, which exist only on the page. */
export function secretsOf(
  fields: readonly DraftField[],
  drafts: Record<string, Draft>,
): Record<string, Draft> {
  const secret = new Set(fields.filter(({ isSecret }) => isSecret).map(({ id }) => id));
  return Object.fromEntries(Object.entries(drafts).filter(([id]) => secret.has(id)));
}

/** The unfinished answers from stored texts, which anybody may have changed. */
export function draftsFrom(
  fields: readonly DraftField[],
  kept: Readonly<Record<string, string>>,
): Record<string, Draft> {
  const drafts: Record<string, Draft> = {};
  for (const { id, isSecret } of fields) {
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
