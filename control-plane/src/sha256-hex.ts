import { toHex } from '@switchyard/shared/text/to-hex';

/** Hex SHA-256 of a text, for stored tokens and for seals of audit entries. */
export async function sha256Hex(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(hash);
}
