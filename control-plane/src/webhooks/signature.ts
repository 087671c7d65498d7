const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/**
 * Whether a hex HMAC-SHA256 is that of a body under a secret. Compared by the platform's own
 * cryptography, in constant time. Anything that is not 64 hex digits is none.
 */
export async function signatureHolds(
  secret: string,
  hex: string | undefined,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (hex === undefined || !HEX_SHA256.test(hex)) return false;
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  return crypto.subtle.verify('HMAC', key, bytesOfHex(hex), body);
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (const index of bytes.keys()) bytes[index] = Number.parseInt(hex.substr(index * 2, 2), 16);
  return bytes;
}
