import type { WebCryptoKey } from '../../web-crypto-key.ts';

const HEX_SHA256 = /^[0-9a-f]{64}$/i;
/** Secrets in use at once: one for each provider, and old ones for a moment. */
const MAX_KEYS = 8;
const keys = new Map<string, Promise<WebCryptoKey>>();

/**
 * Whether a hex HMAC-SHA256 is that of a body under a secret, compared in constant time by the
 * platform's cryptography. Anything but 64 hex digits is false.
 */
export async function signatureHolds(
  secret: string,
  hex: string | undefined,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (hex === undefined || !HEX_SHA256.test(hex)) return false;
  return crypto.subtle.verify('HMAC', await keyOf(secret), bytesOfHex(hex), body);
}

/** Imports each key once, since that costs as much as the comparison. */
function keyOf(secret: string): Promise<WebCryptoKey> {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const made = crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(secret, made);
  return made;
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (const index of bytes.keys()) bytes[index] = Number.parseInt(hex.substr(index * 2, 2), 16);
  return bytes;
}
