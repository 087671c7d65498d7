import { secretProblem, withoutEndBreaks } from '@switchyard/shared/settings/secret-problem';
import { z } from 'zod';

/** A text of at most `maxChars` characters. */
export function text(maxChars: number) {
  return z.string().max(maxChars);
}

/** A text of at least one and at most `maxChars` characters. */
export function filledText(maxChars: number) {
  return z.string().min(1).max(maxChars);
}

/** A list of at most `maxEntries` values. */
export function listOf<Entry extends z.ZodType>(entry: Entry, maxEntries: number) {
  return z.array(entry).max(maxEntries);
}

/** A secret or its reference `$SECRET:NAME`, on one line. */
export function secretText() {
  return secretOf({ inLines: false });
}

/** As `secretText`, but a PEM key with line breaks is allowed too. */
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
