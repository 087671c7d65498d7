import type Docker from 'dockerode';
import { ByteTail } from '@switchyard/shared/bytes/byte-tail';
import { demux } from './daemon/demux.ts';
import { dockerCall } from './daemon/docker-call.ts';
import { createUnframer } from './daemon/create-unframer.ts';

/** Log entries of standard error that are read for its tail; each has at most 16 KiB. */
const STDERR_TAIL_LINES = 500;

/**
 * Standard output of a container from byte `fromByte` of what the engine wrote, until the log ends.
 * The log is read from its beginning, because it has no byte index.
 */
export async function* followStdout(
  container: Docker.Container,
  fromByte: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const log = await dockerCall('follow the log', (abortSignal) =>
    container.logs({
      follow: true,
      stdout: true,
      stderr: false,
      abortSignal: AbortSignal.any([abortSignal, signal]),
    }),
  );
  const unframe = createUnframer();
  let toSkip = fromByte;
  for await (const piece of demux(chunksOf(log))) {
    const bytes = unframe(piece.bytes);
    const skipped = Math.min(toSkip, bytes.byteLength);
    toSkip -= skipped;
    if (skipped < bytes.byteLength) yield bytes.subarray(skipped);
  }
}

/** The last `maxBytes` of standard error from at most 500 log entries. */
export async function readStderrTail(
  container: Docker.Container,
  maxBytes: number,
): Promise<string> {
  const log = await dockerCall('read standard error', (abortSignal) =>
    container.logs({
      follow: false,
      stdout: false,
      stderr: true,
      tail: STDERR_TAIL_LINES,
      abortSignal,
    }),
  );
  const tail = new ByteTail(maxBytes);
  for await (const piece of demux(once(log))) {
    tail.add(piece.bytes);
  }
  return tail.text();
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* chunksOf(stream: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
