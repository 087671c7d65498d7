/** Control characters (those of 8 bits too: terminals obey them), other line breaks, direction marks. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text for a terminal or a log, whoever wrote parts of it: what a terminal would obey or a reader of
 * lines would break at is written out as `\u009b`. JSON stays the same JSON.
 */
export function escapeUnseen(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
