import { AppError } from '../../../errors.ts';

/** Control characters, including line breaks, with surrounding blanks. Directional marks stay. */
const CONTROLS = /\s*[\p{Cc}\u2028\u2029]+\s*/gu;

/** A title on one line: control characters become a space. Throws a 400 when nothing is left. */
export function oneLineTitle(title: string): string {
  const folded = title.toWellFormed().replace(CONTROLS, ' ').trim();
  if (folded === '') {
    const message = 'title must contain a visible character';
    throw new AppError('bad_request', message, { details: [{ path: 'title', message }] });
  }
  return folded;
}

/** Text as given, without NUL and lone surrogates, which neither SQLite nor git can store. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}
