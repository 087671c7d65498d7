/** A character has at most four bytes, of which all but the first begin with the bits 10. */
const MAX_FOLLOWING_BYTES = 3;

/**
 * Decodes the end of a UTF-8 text that was cut at any byte, without the remainder of a cut
 * character.
 */
export function decodeTail(bytes: Uint8Array): string {
  let start = 0;
  while (start < MAX_FOLLOWING_BYTES && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes.subarray(start));
}

/** Decodes the beginning of a UTF-8 text that was cut at any byte, without the cut character. */
export function decodeHead(bytes: Uint8Array): string {
  // An incomplete character at the end is left out, as in a stream.
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes, {
    stream: true,
  });
}
