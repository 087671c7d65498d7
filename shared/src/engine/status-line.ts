import { textTail } from '../text/cut-text.ts';

/** What ends the last message of an agent. The second name is that of agents told so elsewhere. */
const NAMES = ['SWITCHYARD_STATUS:', 'SYMPHONY_STATUS:'] as const;
const NAME = String.raw`\b(?:SWITCHYARD|SYMPHONY)_STATUS:`;
/** Agents put it in bold, in code, in a list or a quotation; then it counts for nothing. */
const MARKS = String.raw`[ \t>*_\x60~-]{0,12}`;

const STATUS_LINE = new RegExp(String.raw`^${NAME}[ \t]*(DONE|BLOCKED)$`);
/** Such a line, with a fence that holds nothing else; or such an end of a line. */
const SHOWN = new RegExp(
  String.raw`(?:^[ \t]*(\x60{3,}|~{3,})[^\n]*\n)?${MARKS}${NAME}[ \t]*[A-Z_]{0,20}[*_\x60~.]{0,9}[ \t\r]*$(?:\n[ \t]*\1[ \t]*$)?`,
  'gm',
);
/** What may become one: its beginning at the end of a text that goes on. */
const OPEN = new RegExp(
  String.raw`${MARKS}(?<![A-Za-z0-9_])(S[A-Z_]{0,17}:?)[ \t]*[A-Z_]{0,20}[*_\x60~.]{0,9}[ \t\r]*$`,
);
const OPEN_CHARS = 100;

/** How the work stands by the agent's own line, `SWITCHYARD_STATUS: DONE`; null for any other line. */
export function statusOfLine(line: string): 'DONE' | 'BLOCKED' | null {
  return (STATUS_LINE.exec(line.trim())?.[1] as 'DONE' | 'BLOCKED' | undefined) ?? null;
}

/**
 * An agent's words as people see them, wherever they are shown or sent: without its status line, which
 * is meant for the service. Stored events keep it: they are the transcript.
 */
export function withoutStatusLine(text: string): string {
  if (!NAMES.some((name) => text.includes(name))) return text;
  const shown = text.replaceAll(SHOWN, '');
  return shown === text ? text : shown.trimEnd();
}

/** The same for a text that goes on: what may be the beginning of such a line is `held` back. */
export function splitOpenStatusLine(text: string): { shown: string; held: string } {
  const tail = textTail(text, OPEN_CHARS);
  const found = OPEN.exec(tail);
  const word = found?.[1] ?? '';
  const isOpen = word !== '' && NAMES.some((name) => name.startsWith(word));
  const heldChars = found === null || !isOpen ? 0 : tail.length - found.index;
  const end = text.length - heldChars;
  return { shown: withoutStatusLine(text.slice(0, end)), held: text.slice(end) };
}
