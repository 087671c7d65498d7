import { AppError } from '../../errors.ts';
import { RESERVED_NAMES } from '../prompt/built-in-templates.ts';

/**
 * A template name in its form for comparisons. Throws a 409 for the name of a built-in template.
 */
export function nameKey(name: string): string {
  const key = name.toWellFormed().trim().toLowerCase();
  if (RESERVED_NAMES.has(key)) {
    throw new AppError('conflict', `the name ${name} is used by a built-in template`);
  }
  return key;
}
