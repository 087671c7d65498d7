/** `JSON.stringify` writes these letters for half a surrogate pair, and for nothing else. */
const HALF_PAIR = '\\ud';
/** An even number of backslashes before it is text that only looks like it. */
const HALF_PAIRS = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * JSON as `JSON.stringify` wrote it, with U+FFFD for each half of a surrogate pair. Half a pair has no
 * UTF-8, so strict readers refuse all of a text that names one.
 */
export function wellFormedJson(json: string): string {
  return json.includes(HALF_PAIR) ? json.replaceAll(HALF_PAIRS, '$1\ufffd') : json;
}

/** A value as JSON that leaves the program: every reader takes it, whatever text is in it. */
export function toJson(value: unknown): string {
  return wellFormedJson(JSON.stringify(value));
}
