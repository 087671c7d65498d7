import type { IncomingMessage } from 'node:http';
import { deferred } from '../deferred.ts';
import { collectBytes } from '../bytes/collect-bytes.ts';

/**
 * Reads the body of a request or response up to `maxBytes`. `isWhole` is false for a longer one:
 * `body` is then its beginning, and the rest stays unread on the open connection, so that a request
 * can be answered. Rejects when the message breaks off, and with the signal's reason.
 */
export async function collectBody(
  message: IncomingMessage,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<{ body: Buffer; isWhole: boolean }> {
  signal?.throwIfAborted();
  const aborted = deferred<never>();
  const abort = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const collected = collectBytes(message.iterator({ destroyOnReturn: false }), maxBytes);
    const { bytes, isWhole } = await Promise.race([collected, aborted.promise]);
    return { body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), isWhole };
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
