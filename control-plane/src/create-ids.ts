import type { Ids } from './ports/ports.ts';

const TIME_DIGITS = 9;
const RANDOM_BYTES = 10;
const RANDOM_DIGITS = 16;
const SECRET_BYTES = 32;

/** Creates ids that sort by time: base-36 milliseconds, then 80 random bits. */
export function createIds(nowMs: () => number): Ids {
  return {
    next(kind) {
      const time = nowMs().toString(36).padStart(TIME_DIGITS, '0');
      let random = 0n;
      for (const byte of randomBytes(RANDOM_BYTES)) random = random * 256n + BigInt(byte);
      return `${kind}_${time}${random.toString(36).padStart(RANDOM_DIGITS, '0')}`;
    },
    secret: () => base64Url(randomBytes(SECRET_BYTES)),
  };
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
