/** Longest text of one field of an item that leaves the adapter. */
export const MAX_ITEM_TEXT_BYTES = 64 * 1024;

/** Keeps head and tail in equal parts and says how much is missing between them. */
export function truncateText(text: string, maxBytes = MAX_ITEM_TEXT_BYTES): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor((maxBytes - 64) / 2);
  const head = wholeCharacters(bytes, 0, half);
  const tail = wholeCharacters(bytes, bytes.length - half, bytes.length);
  const missing = bytes.length - 2 * half;
  return `${head}\n… ${missing} bytes left out …\n${tail}`;
}

/** A cut through a multi-byte character drops that character. */
function wholeCharacters(bytes: Buffer, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isContinuation(bytes[start])) start += 1;
  while (end > start && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(start, end).toString('utf8');
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
