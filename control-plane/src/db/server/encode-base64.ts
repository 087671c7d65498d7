/** The letters by the value that they stand for. */
export const ALPHABET = new TextEncoder().encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
);

/** How many letters so many bytes take, without padding. */
export function base64Length(bytes: number): number {
  return Math.ceil((bytes * 4) / 3);
}

/** Writes bytes as letters into `to` from `at` on; no text is made of them in between. */
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
