import { plainText } from '@switchyard/shared/text/plain-text';

/**
 * A path as a sentence says it, on one line: control characters and line breaks are question marks,
 * marks that turn the direction of text are left out, bytes that are no text are U+FFFD. Not for
 * looking a file up.
 */
export function shownPath(path: string): string {
  return plainText(path.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?'));
}
