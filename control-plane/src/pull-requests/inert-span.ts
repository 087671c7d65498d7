import { codeSpan } from '@switchyard/shared/text/code-fence';
import { cutText } from '@switchyard/shared/text/cut-text';
import { inertText } from '@switchyard/shared/text/inert-text';
import { plainLine } from '@switchyard/shared/text/plain-text';

/** A name or command by somebody else as a code span that acts on nothing; a long one is cut. */
export function inertSpan(text: string, maxChars: number): string {
  return codeSpan(inertText(cutText(plainLine(text), maxChars, '…')));
}
