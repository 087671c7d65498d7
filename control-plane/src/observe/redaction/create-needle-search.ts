/**
 * The search steps by blocks of two characters; the table has an entry for every pair of the first
 * 256.
 */
const BLOCK = 2;
const PLACES = 65_536;

export type Found = { from: number; to: number };

/**
 * Builds a search for many needles in one pass (Wu and Manber), which skips most characters. Each
 * needle has at least `minLength` characters. The search returns ranges in order, without overlaps;
 * a needle that is cut at the end of a text is found by its beginning.
 */
export function createNeedleSearch(
  needles: readonly string[],
  minLength: number,
): (text: string) => Found[] {
  const farthest = minLength - BLOCK + 1;
  const steps = new Uint8Array(PLACES).fill(farthest);
  const byBlock = new Map<number, string[]>();
  for (const needle of needles) {
    for (let end = BLOCK; end <= minLength; end += 1) {
      const place = bucketOf(needle, end);
      steps[place] = Math.min(steps[place] ?? farthest, minLength - end);
    }
    const last = bucketOf(needle, minLength);
    byBlock.set(last, [...(byBlock.get(last) ?? []), needle]);
  }
  return (text) => {
    const found: Found[] = [];
    if (needles.length === 0) return found;
    for (let end = minLength; end <= text.length;) {
      const place = bucketOf(text, end);
      const step = steps[place] ?? 1;
      if (step === 0) note(found, text, end - minLength, byBlock.get(place) ?? []);
      end += Math.max(step, 1);
    }
    return found;
  };
}

function bucketOf(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) << 8) ^ text.charCodeAt(end - 1)) & (PLACES - 1);
}

/**
 * Adds the longest needle that matches at `from`; a match that overlaps the previous one extends
 * it.
 */
function note(found: Found[], text: string, from: number, needles: readonly string[]): void {
  let to = from;
  for (const needle of needles) {
    const chars = commonChars(needle, text, from);
    if (from + chars <= to) continue;
    if (chars === needle.length || isCut(chars / needle.length, text, from + chars))
      to = from + chars;
  }
  if (to === from) return;
  const last = found.at(-1);
  if (last !== undefined && from < last.to) last.to = Math.max(last.to, to);
  else found.push({ from, to });
}

/** How many characters of `needle` match `text` from a position on. */
function commonChars(needle: string, text: string, from: number): number {
  let chars = 0;
  while (chars < needle.length && text.charCodeAt(from + chars) === needle.charCodeAt(chars)) {
    chars += 1;
  }
  return chars;
}

/**
 * Whether a partial match is a needle whose end was truncated: at least half of it before an
 * ellipsis, or three quarters of it at the end of a text or JSON string. A shorter match is another
 * word.
 */
function isCut(share: number, text: string, end: number): boolean {
  if (text[end] === '…') return share >= 0.5;
  return share >= 0.75 && (end === text.length || text[end] === '"');
}
