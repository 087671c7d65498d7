import { z } from 'zod';

/** A text of at most so many characters. */
export function text(maxChars: number) {
  return z.string().max(maxChars);
}

/** The same, with at least one character. */
export function filledText(maxChars: number) {
  return z.string().min(1).max(maxChars);
}

/** At most so many values of a kind. */
export function listOf<Entry extends z.ZodType>(entry: Entry, maxEntries: number) {
  return z.array(entry).max(maxEntries);
}
