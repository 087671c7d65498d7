import { FLUSH_BYTES, MAX_EVENT_PAYLOAD_BYTES } from '@switchyard/shared/protocol/limits';
import { type Arbitrary, constantFrom } from 'fast-check';

/** What the spool counts for an event beside its payload. */
const OVERHEAD_BYTES = 96;
const EMPTY_BYTES = JSON.stringify({ source: 'runner', text: '' }).length;

/** Lengths of payloads, most of them just below, at or above a limit of the way to the control plane. */
export const payloadBytes: Arbitrary<number> = constantFrom(
  EMPTY_BYTES,
  200,
  FLUSH_BYTES / 2 - OVERHEAD_BYTES,
  FLUSH_BYTES / 2 - OVERHEAD_BYTES + 1,
  FLUSH_BYTES - OVERHEAD_BYTES - 1,
  FLUSH_BYTES - OVERHEAD_BYTES,
  FLUSH_BYTES - OVERHEAD_BYTES + 1,
  MAX_EVENT_PAYLOAD_BYTES - 1,
  MAX_EVENT_PAYLOAD_BYTES,
  MAX_EVENT_PAYLOAD_BYTES + 1,
);

/** A line of a log that takes so many bytes as JSON. */
export function payloadOf(bytes: number): { source: string; text: string } {
  return { source: 'runner', text: 'x'.repeat(bytes - EMPTY_BYTES) };
}
