/** A character takes at most four bytes, of which all but the first begin with the bits 10. */
const MAX_FOLLOWING_BYTES = 3;

/** The end of a longer UTF-8 text that was cut at any byte: without the rest of a cut character. */
export function decodeTail(bytes: Uint8Array): string {
  let start = 0;
  while (start < MAX_FOLLOWING_BYTES && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes.subarray(start));
}

/** The same of the beginning of one. */
export function decodeHead(bytes: Uint8Array): string {
  // What a stream might still complete is left out.
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes, {
    stream: true,
  });
}
