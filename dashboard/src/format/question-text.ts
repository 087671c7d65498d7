import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { cutText } from '@switchyard/shared/text/cut-text';
import { plainLine } from '@switchyard/shared/text/plain-text';

const SHOWN_CHARS = 200;

/** What an agent asks, on one line, where there is no room for all of it. */
export function questionText({ questions }: Pick<HumanRequest, 'questions'>): string {
  const [first, ...rest] = questions;
  const words = questionLine(first?.question ?? '');
  return rest.length === 0 ? words : `${words} (and ${rest.length} more)`;
}

/** The same of one question. */
export function questionLine(question: string): string {
  return cutText(plainLine(question), SHOWN_CHARS, '…') || 'The agent has a question.';
}
