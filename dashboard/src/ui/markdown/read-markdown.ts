import { Lexer, type Token } from 'marked';
import { clip, plainTerminalText } from '../../format/terminal-text.ts';

/** Schemes of links that open a page or a letter. */
const LINK_SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** Character references by name. */
const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
const LAST_CODE_POINT = 0x10_ff_ff;

/** A longer text is shown as plain text: parsing it would block the page. */
const FORMATTED_CHARS = 20_000;
/**
 * Marks whose parsing time grows with the square of their number, so texts with many stay plain.
 */
const SLOW_MARKS = /[*_~]| {4}/g;
const FORMATTED_MARKS = 2_000;
const SHOWN_CHARS = 200_000;

export type ReadMarkdown = {
  /** Null when the text is too long, has too many marks or is too deeply nested to be parsed. */
  tokens: Token[] | null;
  plain: string;
  /** Number of characters at the end that are not shown. */
  omitted: number;
};

/**
 * Parses a text like issue trackers do: GitHub's Markdown with line breaks kept. In our own
 * documentation (`isOurs`) line breaks are not kept, and the number of marks is not limited.
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
    // Thousands of nested quotations overflow the parser's stack; such a text is shown as plain
    // text.
    return null;
  }
}

/** Decodes common character references; others are not changed. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex, dec, name) => {
    if (name !== undefined) return ENTITIES[String(name)] ?? whole;
    const code = Number.parseInt(String(hex ?? dec), hex === undefined ? 10 : 16);
    return code > 0x1f && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}

/** The target of a link, or null when it would do something other than open a page. */
export function safeLink(href: string, origin: string): { href: string; own: boolean } | null {
  const url = URL.parse(href, origin);
  if (url === null || !LINK_SCHEMES.has(url.protocol)) return null;
  return { href: url.href, own: url.origin === origin };
}
