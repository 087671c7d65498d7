import { decodeTail } from '@switchyard/shared/text/decode-tail';
import { watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const CHUNK_BYTES = 64 * 1024;
/** Polling interval for changes that the system does not report. */
const POLL_MS = 100;

/**
 * A growing file from `fromByte` on. Ends at the end of the file once `hasEnded` is true, and at
 * once on the signal.
 */
export async function* followFile(
  path: string,
  fromByte: number,
  hasEnded: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  let wake: () => void = () => undefined;
  const watcher = watch(path, () => wake());
  watcher.on('error', () => watcher.close());
  const stop = (): void => wake();
  signal.addEventListener('abort', stop);
  try {
    let offset = fromByte;
    while (!signal.aborted) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const endedBefore = hasEnded();
      const { bytesRead, buffer } = await file.read(
        Buffer.alloc(CHUNK_BYTES),
        0,
        CHUNK_BYTES,
        offset,
      );
      offset += bytesRead;
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (endedBefore) return;
      else await Promise.race([changed, delay(POLL_MS, undefined, { ref: false })]);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    watcher.close();
    await file.close();
  }
}

/** The last bytes of a file as text; empty when there is no file. */
export async function readTail(path: string, maxBytes: number): Promise<string> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return decodeTail(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
