import { ALPHABET } from './encode-base64.ts';

const NO_DIGIT = 255;
const VALUES = new Uint8Array(256).fill(NO_DIGIT);
for (const [value, letter] of ALPHABET.entries()) VALUES[letter] = value;

/** Decodes base64 letters that arrive in pieces into `to`. */
export function base64Decoder(to: Uint8Array) {
  let bits = 0;
  let count = 0;
  let length = 0;
  return {
    /** Decodes a piece; throws when it has more bytes than still fit into `to`. */
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
