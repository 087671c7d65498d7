/**
 * Complete escape sequences of terminals: control sequences, strings with their end (titles,
 * links), character sets. Of an incomplete one only the escape character is removed, so that the
 * following text is kept.
 */
export const TERMINAL_ESCAPES =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c\n]{0,4096}(?:\u0007|\u001b\\|\u009c)|\u001b[()*+][0-9A-Za-z]/g;

const LINE_BREAKS = /\r\n?|[\u0085\u2028\u2029]/g;
/** Control characters except line break and tab, and marks that change the direction of text. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Cleans text by an agent, a tool or a tracker for comments, pull requests, messages and terminals:
 * no escape sequences, no NUL or other control characters, no direction marks, `\n` as the only
 * line break. Everything readable is kept.
 */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(TERMINAL_ESCAPES, '')
    .replaceAll(LINE_BREAKS, '\n')
    .replaceAll(UNSEEN, '');
}

/** Plain text on one line. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim();
}
