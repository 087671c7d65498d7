import { toHex } from '@switchyard/shared/text/to-hex';

/**
 * A UUID with the form of version 4, as APIs require, but derived from the parts, so that the same
 * input gives the same id.
 */
export async function derivedUuid(...parts: readonly unknown[]): Promise<string> {
  const text = JSON.stringify(['switchyard', ...parts]);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const bytes = new Uint8Array(digest, 0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = toHex(bytes);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
