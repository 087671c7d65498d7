/** The start of the escape that `JSON.stringify` writes only for half a surrogate pair. */
const HALF_PAIR = '\\ud';
/**
 * After an even number of backslashes it is an escape; otherwise a text that only resembles one.
 */
const HALF_PAIRS = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * JSON written by `JSON.stringify`, with U+FFFD for each half of a surrogate pair. Half a pair has
 * no UTF-8, so strict readers refuse the complete text.
 */
export function wellFormedJson(json: string): string {
  return json.includes(HALF_PAIR) ? json.replaceAll(HALF_PAIRS, '$1\ufffd') : json;
}

/** A value as JSON for other programs: every reader accepts it, whatever text it contains. */
export function toJson(value: unknown): string {
  return wellFormedJson(JSON.stringify(value));
}
