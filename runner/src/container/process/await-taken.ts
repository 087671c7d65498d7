import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** Interval of checks whether the output has been taken. */
const POLL_MS = 50;
/** Checks that may find an empty stream while a hidden process still adds to it now and then. */
const MAX_EMPTY_POLLS = 40;

/** Bytes that were read from a command's output so far, and how many of them it may have. */
export interface TakenOutput {
  bytes: number;
  readonly maxBytes: number;
}

/**
 * Waits until a reader has taken what a killed command left in its pipe, however slowly it reads.
 * A stream is empty for a moment between two pieces as well, while the pipe still holds the next:
 * the output is complete only if two checks in a row find it empty and nothing was taken between
 * them. Ends early if the output has an end, exceeds its maximum, or goes on after MAX_EMPTY_POLLS.
 */
export async function awaitTaken(
  stream: Pick<Readable, 'closed' | 'readableLength'>,
  taken: Readonly<TakenOutput>,
  pause: () => Promise<unknown> = () => delay(POLL_MS),
): Promise<void> {
  let emptyPolls = 0;
  let bytesWhenEmpty = -1;
  while (!stream.closed && taken.bytes <= taken.maxBytes && emptyPolls < MAX_EMPTY_POLLS) {
    const isEmpty = stream.readableLength === 0;
    if (isEmpty && taken.bytes === bytesWhenEmpty) return;
    bytesWhenEmpty = isEmpty ? taken.bytes : -1;
    if (isEmpty) emptyPolls += 1;
    await pause();
  }
}
