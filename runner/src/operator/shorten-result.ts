import { cutText } from '@switchyard/shared/text/cut-text';

/** Lengths, in characters, to which texts are truncated in turn until the result fits. */
const CUT_LENGTHS = [16_384, 4_096, 1_024, 256];

/**
 * A value whose JSON has at most `maxBytes`, with its longest texts truncated as needed. Null when
 * even short texts are too many.
 */
export function shortenResult(
  value: Record<string, unknown>,
  maxBytes: number,
): { result: Record<string, unknown>; shortened: boolean } | null {
  if (bytesOf(value) <= maxBytes) return { result: value, shortened: false };
  for (const length of CUT_LENGTHS) {
    const result = shortenTexts(value, length);
    if (bytesOf(result) <= maxBytes) return { result, shortened: true };
  }
  return null;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function shortenTexts(value: Record<string, unknown>, maxChars: number): Record<string, unknown> {
  const text = JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' && part.length > maxChars ? shortened(part, maxChars) : part,
  );
  return JSON.parse(text) as Record<string, unknown>;
}

function shortened(text: string, maxChars: number): string {
  const kept = cutText(text, maxChars);
  return `${kept}… (${text.length - kept.length} characters left out)`;
}
