import { secretProblem, withoutEndBreaks } from '@switchyard/shared/settings/secret-problem';
import { AppError } from '../../errors.ts';

/** Enough for a private key with its certificates. */
export const MAX_SECRET_CHARACTERS = 65_536;

/**
 * A secret in the form in which it is stored and sent, without surrounding line breaks. Throws
 * `bad_request` for one that cannot be valid, such as one with a line break inside.
 */
export function acceptSecret(given: string, { inLines = false } = {}): string {
  const value = withoutEndBreaks(given);
  if (value === '' || value.length > MAX_SECRET_CHARACTERS || !value.isWellFormed()) {
    throw new AppError('bad_request', `value: must have 1 to ${MAX_SECRET_CHARACTERS} characters`);
  }
  const problem = secretProblem(value, { inLines });
  if (problem !== null) {
    throw new AppError('bad_request', `the secret ${problem}`, { reason: 'invalid_secret' });
  }
  return value;
}
