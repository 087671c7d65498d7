/** UTF-16 units that are examined on either side of an edge: an emoji of many parts has 15. */
const EDGE_CHARS = 32;
/** No character below this code joins the previous one, except a line feed. */
const FIRST_JOINING = 0x300;

let characters: Intl.Segmenter | null = null;

/**
 * The beginning of a text, at most `maxChars` UTF-16 units including `mark`, which is appended to a
 * truncated text. Never splits a surrogate pair, nor what a reader sees as one character unless
 * that exceeds 32 units or the room. The result is well-formed: half a pair becomes U+FFFD.
 */
export function cutText(text: string, maxChars: number, mark = ''): string {
  if (text.length <= maxChars) return text.toWellFormed();
  if (mark.length > maxChars) return cutText(text, maxChars);
  return text.slice(0, edgeBefore(text, maxChars - mark.length)).toWellFormed() + mark;
}

/** The end of a text by the rules of `cutText`; `mark` is put before a truncated text. */
export function textTail(text: string, maxChars: number, mark = ''): string {
  if (text.length <= maxChars) return text.toWellFormed();
  if (mark.length > maxChars) return textTail(text, maxChars);
  return mark + text.slice(edgeAfter(text, text.length - maxChars + mark.length)).toWellFormed();
}

/**
 * The last position up to `position` between two characters, for text whose parts are joined again.
 */
export function edgeBefore(text: string, position: number): number {
  if (isEdge(text, position)) return Math.max(0, position);
  const { from, start } = characterAt(text, position);
  if (start > from) return start;
  return splitsPair(text, position) ? position - 1 : position;
}

function edgeAfter(text: string, position: number): number {
  if (isEdge(text, position)) return position;
  const { start, end, to } = characterAt(text, position);
  if (start === position) return position;
  if (end < to) return end;
  return splitsPair(text, position) ? position + 1 : position;
}

function isEdge(text: string, position: number): boolean {
  if (position <= 0 || position >= text.length) return true;
  const after = text.charCodeAt(position);
  return after < FIRST_JOINING && after !== 0x0a && text.charCodeAt(position - 1) < FIRST_JOINING;
}

/** The `start` and `end` of the character at a position, as seen between `from` and `to`. */
function characterAt(text: string, position: number) {
  characters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const from = Math.max(0, position - EDGE_CHARS);
  const to = Math.min(text.length, position + EDGE_CHARS);
  const found = characters.segment(text.slice(from, to)).containing(position - from);
  const start = from + (found?.index ?? 0);
  return { from, start, end: start + (found?.segment.length ?? 0), to };
}

function splitsPair(text: string, position: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(position - 1, position + 1));
}
