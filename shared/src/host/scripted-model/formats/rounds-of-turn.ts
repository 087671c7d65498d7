import { createHash } from 'node:crypto';

/** One message of a conversation, reduced to what tells turns apart. */
export type ModelMessage = {
  by: 'user' | 'model';
  /** Tool calls of the model, or results of such calls. */
  tools: boolean;
  texts: string[];
  /** Results of tools in it. */
  results: string[];
};

const INTERRUPTED = /interrupted|aborted|cancelled|doesn't want to proceed/i;

/**
 * Rounds of tool results since the present turn began. A turn begins with words that follow a final
 * answer or a round that was interrupted; words beside or after other results joined it.
 */
export function roundsOfTurn(messages: readonly ModelMessage[]): number {
  let rounds = 0;
  let isOver = true;
  let wasResult = false;
  for (const { by, tools, texts, results } of messages) {
    if (by === 'model') {
      isOver = !tools;
      wasResult = false;
      continue;
    }
    if (results.length > 0) {
      if (!wasResult) rounds += 1;
      wasResult = true;
      isOver = results.some((result) => result.length < 2_000 && INTERRUPTED.test(result));
    } else if (isOver && texts.length > 0) {
      rounds = 0;
      isOver = false;
    }
  }
  return rounds;
}

/** A name for a conversation whose engine sends none: the same while its first words are. */
export function nameByFirstTexts(texts: readonly string[]): string {
  return createHash('sha256')
    .update(texts[0] ?? '')
    .digest('hex')
    .slice(0, 16);
}
