import { AppError } from '../../errors.ts';
import { RESERVED_NAMES } from '../prompt/built-in-templates.ts';

/** A name as it is compared. Throws a 409 for a name of a built-in template. */
export function nameKey(name: string): string {
  const key = name.toWellFormed().trim().toLowerCase();
  if (RESERVED_NAMES.has(key)) {
    throw new AppError('conflict', `the name ${name} is used by a built-in template`);
  }
  return key;
}
