/** Streamed text is split into pieces of about this many characters. */
const PIECE_CHARS = 12;

/** Splits at the ends of words so that streamed text reads well on screen. */
export function textPieces(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${PIECE_CHARS}}\\S*`, 'g')) ?? [];
}
