/**
 * Invisible characters that change what a line means or looks like: control characters, direction
 * marks, zero widths, tags. Tabs, line ends and the joiners of emoji and scripts are excluded.
 */
const UNSEEN =
  /[^\P{Cc}\t\n\r]|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;

/** Code for a reviewer, with invisible characters written out, as `[U+202E]`. */
export function showUnseen(code: string): string {
  return code.replace(UNSEEN, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `[U+${hex}]`;
  });
}
