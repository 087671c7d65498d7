import { decodeHead, decodeTail } from '@switchyard/shared/text/decode-tail';

/** Longest text of an item's field that leaves the adapter. */
export const MAX_ITEM_TEXT_BYTES = 64 * 1024;

/** Truncates a text in the middle, with the number of missing bytes between beginning and end. */
export function truncateText(text: string, maxBytes = MAX_ITEM_TEXT_BYTES): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor((maxBytes - 64) / 2);
  const head = decodeHead(bytes.subarray(0, half));
  const tail = decodeTail(bytes.subarray(bytes.length - half));
  const missing = bytes.length - 2 * half;
  return `${head}\n… ${missing} bytes left out …\n${tail}`;
}
