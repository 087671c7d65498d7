/**
 * Control characters (also the 8-bit ones, which terminals obey), other line breaks, direction
 * marks.
 */
const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Escapes untrusted text for a terminal or a log: characters that a terminal would obey or that
 * would break a line are written out, such as `\u009b`. JSON remains equivalent.
 */
export function escapeUnseen(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
