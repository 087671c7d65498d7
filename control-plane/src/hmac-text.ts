import { toHex } from '@switchyard/shared/text/to-hex';

/** Hex HMAC-SHA256 of a text under a text key. */
export async function hmacText(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = encoder.encode(secret);
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(text));
  return toHex(mac);
}
