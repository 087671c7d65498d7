import { textTail } from '../text/cut-text.ts';

/** What ends the last message of an agent. The second name is that of agents told so elsewhere. */
const NAMES = ['SWITCHYARD_STATUS', 'SYMPHONY_STATUS'] as const;
const STATUS_LINE = /^(?:SWITCHYARD|SYMPHONY)_STATUS:[ \t]*(DONE|BLOCKED)$/;
/** It may stand with escapes and in small letters; then it counts for nothing. */
const ANY_NAME = /_STATUS/i;
const NAME = String.raw`(?<![A-Za-z0-9])(?:SWITCHYARD|SYMPHONY)\\?_STATUS`;
/** Agents put it in bold, in code, in brackets, in a list or a quotation. */
const MARKS = String.raw`(?:\d{1,3}[.)][ \t])?[ \t>*_\x60~#|("'-]{0,12}`;
const COLON = String.raw`[ \t*_\x60"']{0,6}[:=]`;
const STATUS = String.raw`[ \t*_\x60"'([]{0,9}[A-Z_]{0,20}[^\w\n]{0,12}`;
/** Such a line, with a fence that holds nothing else; or such an end of a line. */
const SHOWN = new RegExp(
  String.raw`(?:^[ \t]*(\x60{3,}|~{3,})[^\n]*\n)?${MARKS}${NAME}${COLON}${STATUS}$(?:\n[ \t]*\1[ \t]*$)?`,
  'gim',
);
/** What may become one: its beginning at the end of a text that goes on. */
const OPEN = new RegExp(
  String.raw`${MARKS}(?<![A-Za-z0-9])(S[A-Z]{0,9}\\?(?:_[A-Z]{0,6})?)((?:[ \t*_\x60"']{1,6}|${COLON}${STATUS})?)$`,
  'i',
);
const OPEN_CHARS = 120;

/** How the work stands by the agent's own line, `SWITCHYARD_STATUS: DONE`; null for any other line. */
export function statusOfLine(line: string): 'DONE' | 'BLOCKED' | null {
  return (STATUS_LINE.exec(line.trim())?.[1] as 'DONE' | 'BLOCKED' | undefined) ?? null;
}

/**
 * An agent's words as people see them, wherever they are shown or sent: without its status line, which
 * is meant for the service. Stored events keep it: they are the transcript.
 */
export function withoutStatusLine(text: string): string {
  if (!ANY_NAME.test(text)) return text;
  const shown = text.replaceAll(SHOWN, '');
  return shown === text ? text : shown.trimEnd();
}

/** The same for a text that goes on: what may be the beginning of such a line is `held` back. */
export function splitOpenStatusLine(text: string): { shown: string; held: string } {
  const tail = textTail(text, OPEN_CHARS);
  const found = OPEN.exec(tail);
  const word = found?.[1]?.replace('\\', '').toUpperCase() ?? '';
  const isOpen = NAMES.some((name) => (found?.[2] === '' ? name.startsWith(word) : name === word));
  const heldChars = found === null || !isOpen ? 0 : tail.length - found.index;
  const end = text.length - heldChars;
  return { shown: withoutStatusLine(text.slice(0, end)), held: text.slice(end) };
}
