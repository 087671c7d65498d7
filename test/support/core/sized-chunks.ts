import { type Arbitrary, array, constantFrom, oneof, record } from 'fast-check';
import type { Database } from '../../../control-plane/src/db/database.ts';
import type { StoredEvent } from '../../../control-plane/src/db/schema/operation/events.ts';
import { appendEvents } from '../../../control-plane/src/observe/events/append-events.ts';

/** A flush of `events` events that is stored as `bytes` bytes of JSON, or as few as they take. */
export type SizedChunk = { bytes: number; events: number; letter: string };

/** One to five flushes, of which most are just below, at or above a limit. */
export function sizedChunks(limitBytes: number): Arbitrary<SizedChunk[]> {
  const around = [limitBytes - 1, limitBytes, limitBytes + 1];
  const bytes = oneof(
    constantFrom(...around),
    constantFrom(0, 200, Math.floor(limitBytes / 2), 2 * limitBytes + 1),
  );
  // Letters of several bytes, so that a count of characters is not taken for one of bytes.
  const chunk = record({
    bytes,
    events: constantFrom(1, 2, 3),
    letter: constantFrom('x', 'ü', '"'),
  });
  return array(chunk, { minLength: 1, maxLength: 5 });
}

/** The events of such a flush; the last one fills it. */
function eventsOfSize({ bytes, events, letter }: SizedChunk): StoredEvent[] {
  const made = Array.from({ length: events }, (_, at) => ({
    type: 'issue.updated' as const,
    atMs: 0,
    data: { at, text: '' },
  }));
  const last = made.at(-1);
  if (last === undefined) throw new RangeError('a flush has an event');
  const room = Math.max(0, bytes - Buffer.byteLength(JSON.stringify(made)));
  const letterBytes = Buffer.byteLength(JSON.stringify(letter)) - 2;
  last.data.text = letter.repeat(room / letterBytes) + 'x'.repeat(room % letterBytes);
  return made;
}

/** Stores each as one flush, of an attempt where one is given. */
export async function storeChunks(
  db: Database,
  chunks: readonly SizedChunk[],
  attemptId?: string,
): Promise<void> {
  for (const chunk of chunks) {
    const origin =
      attemptId === undefined ? undefined : { attemptId, epoch: 1, fromRunnerSeq: null };
    const [first, ...rest] = appendEvents(db, 0, eventsOfSize(chunk), origin);
    if (first !== undefined) await db.batch([first, ...rest]);
  }
}

/** How many events they have together. */
export function countEvents(chunks: readonly SizedChunk[]): number {
  return chunks.reduce((sum, { events }) => sum + events, 0);
}
