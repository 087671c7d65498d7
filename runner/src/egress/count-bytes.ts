import { Transform } from 'node:stream';
import type { EgressState } from './policy/admit.ts';
import type { EgressEntry } from './policy/egress-log.ts';

/** Passes bytes on and counts them; fails the stream once the attempt has used up its limit. */
export function countBytes(
  { policy, log }: EgressState,
  entry: EgressEntry,
  direction: 'sentBytes' | 'receivedBytes',
): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      log.count(entry, direction, chunk.length);
      if (log.bytes <= policy.maxBytes) return done(null, chunk);
      log.note(entry.host, entry.port, 'byte_limit');
      done(new Error('the attempt has used up its byte limit'));
    },
  });
}
