import { codeSpan } from '@switchyard/shared/text/code-fence';
import { cutText } from '@switchyard/shared/text/cut-text';
import { inertText } from '@switchyard/shared/text/inert-text';
import { plainLine } from '@switchyard/shared/text/plain-text';

/** A name or command by others as an inert code span, truncated to `maxChars`. */
export function inertSpan(text: string, maxChars: number): string {
  return codeSpan(inertText(cutText(plainLine(text), maxChars, '…')));
}
