import { createHash } from 'node:crypto';

/** One message of a conversation, reduced to what is needed to detect turns. */
export type ModelMessage = {
  by: 'user' | 'model';
  /** The message contains tool calls by the model, or their results. */
  tools: boolean;
  texts: string[];
  /** Results of tools in the message. */
  results: string[];
};

const INTERRUPTED = /interrupted|aborted|cancelled|doesn't want to proceed/i;

/**
 * Number of rounds of tool results since the current turn began. A turn begins with a user message
 * after a final answer or after an interrupted round; a user message beside or after other results
 * joined the turn.
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

/** An id for a conversation whose engine sends none, derived from its first user message. */
export function nameByFirstTexts(texts: readonly string[]): string {
  return createHash('sha256')
    .update(texts[0] ?? '')
    .digest('hex')
    .slice(0, 16);
}
