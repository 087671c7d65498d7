import { textTail } from '../text/cut-text.ts';

/**
 * Names in the status line that ends an agent's last message. The second one is for agents
 * instructed by other programs.
 */
const NAMES = ['SWITCHYARD_STATUS', 'SYMPHONY_STATUS'] as const;
const STATUS_LINE = /^(?:SWITCHYARD|SYMPHONY)_STATUS:[ \t]*(DONE|BLOCKED)$/;
/**
 * Whether a text contains such a name at all; escapes and lower case are matched too, although they
 * are not valid status lines.
 */
const ANY_NAME = /_STATUS/i;
const NAME = String.raw`(?<![A-Za-z0-9])(?:SWITCHYARD|SYMPHONY)\\?_STATUS`;
/** Markup in which agents wrap the status line: bold, code, brackets, lists, quotations. */
const MARKS = String.raw`(?:\d{1,3}[.)][ \t])?[ \t>*_\x60~#|("'-]{0,12}`;
const COLON = String.raw`[ \t*_\x60"']{0,6}[:=]`;
const STATUS = String.raw`[ \t*_\x60"'([]{0,9}[A-Z_]{0,20}[^\w\n]{0,12}`;
/** A status line, also one alone in a code fence, or a status at the end of another line. */
const SHOWN = new RegExp(
  String.raw`(?:^[ \t]*(\x60{3,}|~{3,})[^\n]*\n)?${MARKS}${NAME}${COLON}${STATUS}$(?:\n[ \t]*\1[ \t]*$)?`,
  'gim',
);
/** A partial status line at the end of a text that is still being streamed. */
const OPEN = new RegExp(
  String.raw`${MARKS}(?<![A-Za-z0-9])(S[A-Z]{0,9}\\?(?:_[A-Z]{0,6})?)((?:[ \t*_\x60"']{1,6}|${COLON}${STATUS})?)$`,
  'i',
);
const OPEN_CHARS = 120;

/**
 * The status in an agent's status line such as `SWITCHYARD_STATUS: DONE`; null for any other line.
 */
export function statusOfLine(line: string): 'DONE' | 'BLOCKED' | null {
  return (STATUS_LINE.exec(line.trim())?.[1] as 'DONE' | 'BLOCKED' | undefined) ?? null;
}

/**
 * An agent's text for display or sending, without its status line, which only the service reads.
 * Stored events keep the line, since they are the transcript.
 */
export function withoutStatusLine(text: string): string {
  if (!ANY_NAME.test(text)) return text;
  const shown = text.replaceAll(SHOWN, '');
  return shown === text ? text : shown.trimEnd();
}

/**
 * Splits a text that is still being streamed: `shown` without status lines, and `held`, a suffix
 * that may be the beginning of one.
 */
export function splitOpenStatusLine(text: string): { shown: string; held: string } {
  const tail = textTail(text, OPEN_CHARS);
  const found = OPEN.exec(tail);
  const word = found?.[1]?.replace('\\', '').toUpperCase() ?? '';
  const isOpen = NAMES.some((name) => (found?.[2] === '' ? name.startsWith(word) : name === word));
  const heldChars = found === null || !isOpen ? 0 : tail.length - found.index;
  const end = text.length - heldChars;
  return { shown: withoutStatusLine(text.slice(0, end)), held: text.slice(end) };
}
