import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { cutText } from '@switchyard/shared/text/cut-text';
import { plainLine } from '@switchyard/shared/text/plain-text';

const SHOWN_CHARS = 200;

/** An agent's request on one line, where there is no room for its questions or its plan. */
export function questionText({
  questions,
  plan,
}: Pick<HumanRequest, 'questions' | 'plan'>): string {
  if (plan !== null) return 'A plan waits for approval';
  const [first, ...rest] = questions;
  const text = questionLine(first?.question ?? '');
  return rest.length === 0 ? text : `${text} (and ${rest.length} more)`;
}

/** One question on one line. */
export function questionLine(question: string): string {
  return cutText(plainLine(question), SHOWN_CHARS, '…') || 'The agent has a question.';
}
