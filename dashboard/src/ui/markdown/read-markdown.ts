import { Lexer, type Token } from 'marked';
import { clip, plainTerminalText } from '../../format/terminal-text.ts';

/** Longer texts are shown as they are: reading their marks would hold the page up. */
const FORMATTED_CHARS = 20_000;
/** So are texts full of these: the time to read them grows with the square of their number. */
const SLOW_MARKS = /[*_~]| {4}/g;
const FORMATTED_MARKS = 2_000;
const SHOWN_CHARS = 200_000;

export type ReadMarkdown = {
  /** Null when the text is too long or too deeply nested to be read as Markdown. */
  tokens: Token[] | null;
  plain: string;
  /** How many characters at the end are not shown. */
  omitted: number;
};

/**
 * Reads a text as the issue trackers do: GitHub's Markdown, a line's end is a line's end. In our own
 * documentation (`isOurs`) it is not, and it holds no page up, however long it is.
 */
export function readMarkdown(text: string, { isOurs = false } = {}): ReadMarkdown {
  const { text: plain, omitted } = clip(plainTerminalText(text), SHOWN_CHARS);
  return {
    tokens: isOurs || isQuick(plain) ? tokensOf(plain, { breaks: !isOurs }) : null,
    plain,
    omitted,
  };
}

function isQuick(text: string): boolean {
  return text.length <= FORMATTED_CHARS && (text.match(SLOW_MARKS)?.length ?? 0) <= FORMATTED_MARKS;
}

function tokensOf(text: string, { breaks }: { breaks: boolean }): Token[] | null {
  try {
    return new Lexer({ gfm: true, breaks }).lex(text);
  } catch {
    // Thousands of nested quotes end the reader's stack; as plain text they hurt nobody.
    return null;
  }
}
