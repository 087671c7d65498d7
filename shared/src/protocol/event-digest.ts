import type { AttemptEventItem } from './attempt-event.ts';

/** Digest before the first event of an epoch. */
export const EMPTY_DIGEST = '0'.repeat(64);

/**
 * Hash chain over an attempt's events: `sha256(previous || seq || kind || payload)` in hex. Both
 * halves compute it, so `finish` proves that nothing in between was lost or changed.
 */
export async function extendDigest(previous: string, items: readonly AttemptEventItem[]): Promise<string> {
  const encoder = new TextEncoder();
  let digest = previous;
  for (const item of items) {
    const text = `${digest}\n${item.seq}\n${item.kind}\n${JSON.stringify(item.payload)}`;
    const hash = await crypto.subtle.digest('SHA-256', encoder.encode(text));
    digest = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  return digest;
}
