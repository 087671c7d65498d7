/** Base64 letters in the order of their values. */
export const ALPHABET = new TextEncoder().encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
);

/** Number of base64 letters for these bytes, without padding. */
export function base64Length(bytes: number): number {
  return Math.ceil((bytes * 4) / 3);
}

/** Encodes bytes as base64 directly into `to` from `at` on, without an intermediate string. */
export function encodeBase64(bytes: Uint8Array, to: Uint8Array, at: number): void {
  let place = at;
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    count += 8;
    while (count >= 6) {
      count -= 6;
      to[place++] = ALPHABET[(bits >> count) & 63] ?? 0;
    }
  }
  if (count > 0) to[place] = ALPHABET[(bits << (6 - count)) & 63] ?? 0;
}
