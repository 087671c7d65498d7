import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { AttemptEventItem } from './attempt-event.ts';

/** Digest before the first event of an epoch. */
export const EMPTY_DIGEST = '0'.repeat(64);

const encoder = new TextEncoder();

/**
 * Hash chain over an attempt's events: `sha256(previous || seq || kind || payload)` in hex. Both
 * halves compute it, so `finish` proves that nothing in between was lost or changed.
 */
export function extendDigest(
  previous: string,
  items: readonly AttemptEventItem[],
): Promise<string> {
  let digest = previous;
  for (const item of items) {
    const text = `${digest}\n${item.seq}\n${item.kind}\n${JSON.stringify(item.payload)}`;
    // Not crypto.subtle: a chain would wait for a thread at every link, which costs far more.
    digest = bytesToHex(sha256(encoder.encode(text)));
  }
  return Promise.resolve(digest);
}
