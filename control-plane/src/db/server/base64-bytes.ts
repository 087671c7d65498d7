const ALPHABET = new TextEncoder().encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
);
const NO_DIGIT = 255;
const VALUES = new Uint8Array(256).fill(NO_DIGIT);
for (const [value, letter] of ALPHABET.entries()) VALUES[letter] = value;

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

/** Takes letters in pieces and puts the bytes that they stand for into `to`. */
export function base64Decoder(to: Uint8Array) {
  let bits = 0;
  let count = 0;
  let length = 0;
  return {
    /** Throws when there is no more room. */
    take(letters: Uint8Array): void {
      for (const letter of letters) {
        const value = VALUES[letter] ?? NO_DIGIT;
        if (value === NO_DIGIT) continue;
        bits = ((bits << 6) | value) & 0xffff;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        if (length === to.byteLength) throw new Error('more bytes came than were expected');
        to[length++] = (bits >> count) & 255;
      }
    },
    length: () => length,
  };
}
