import { secretProblem, withoutEndBreaks } from '@switchyard/shared/settings/secret-problem';
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

/** A secret or its `$SECRET:NAME`, in one line. */
export function secretText() {
  return secretOf({ inLines: false });
}

/** The same, which may be a key in PEM. */
export function keyText() {
  return secretOf({ inLines: true });
}

const MAX_SECRET_TEXT_CHARS = 8_192;

function secretOf(allowed: { inLines: boolean }) {
  return text(MAX_SECRET_TEXT_CHARS)
    .overwrite(withoutEndBreaks)
    .refine((secret) => secretProblem(secret, allowed) === null, {
      error: ({ input }) => secretProblem(String(input), allowed) ?? 'cannot be used',
    });
}
