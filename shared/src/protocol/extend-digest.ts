import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { AttemptEventItem } from './attempt-event.ts';

/** Digest before the first event of an epoch. */
export const EMPTY_DIGEST = '0'.repeat(64);

/**
 * SHA-256 of a text's UTF-8 in lower-case hex. Synchronous, since a promise for every link of the
 * chain would cost more than the hash.
 */
export type HashText = (text: string) => string;

/** An event as an element of the chain, with its payload as the JSON that was sent. */
export type ChainedEvent = { seq: number; kind: string; payloadJson: string };

const encoder = new TextEncoder();
const hashInScript: HashText = (text) => bytesToHex(sha256(encoder.encode(text)));

/**
 * Hash chain over an attempt's events: `sha256(previous || seq || kind || payload)` in hex. Runner
 * and control plane both compute it, so `finish` proves that no event was lost or changed.
 */
export function chainDigest(
  previous: string,
  events: Iterable<ChainedEvent>,
  hashText: HashText,
): string {
  let digest = previous;
  for (const { seq, kind, payloadJson } of events)
    digest = hashText(`${digest}\n${seq}\n${kind}\n${payloadJson}`);
  return digest;
}

/** The hash chain over more events, for platforms without a fast synchronous hash. */
export async function extendDigest(
  previous: string,
  items: readonly AttemptEventItem[],
): Promise<string> {
  const events = items.map(({ seq, kind, payload }) => ({
    seq,
    kind,
    payloadJson: JSON.stringify(payload),
  }));
  return chainDigest(previous, events, hashInScript);
}
