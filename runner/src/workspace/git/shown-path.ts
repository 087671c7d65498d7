import { plainText } from '@switchyard/shared/text/plain-text';

/**
 * A path for messages, on one line: control characters and line breaks become question marks,
 * direction marks are removed, invalid UTF-8 becomes U+FFFD. Do not use it to access a file.
 */
export function shownPath(path: string): string {
  return plainText(path.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?'));
}
