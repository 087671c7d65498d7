import type { IncomingMessage } from 'node:http';

/**
 * Reads a request's body up to `maxBytes`. `isWhole` is false for a longer one, whose request is
 * then paused with the rest unread. Rejects when the signal aborts or the request breaks off.
 */
export function collectBody(
  request: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ body: Buffer; isWhole: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (run: () => void): void => {
      request.off('data', take).off('end', end).off('error', fail);
      signal.removeEventListener('abort', abort);
      run();
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      request.pause();
      settle(() => resolve({ body: Buffer.concat(chunks), isWhole: false }));
    };
    const end = (): void => settle(() => resolve({ body: Buffer.concat(chunks), isWhole: true }));
    const fail = (error: Error): void => settle(() => reject(error));
    const abort = (): void => settle(() => reject(new Error('the request was given up')));
    if (signal.aborted) return reject(new Error('the request was given up'));
    signal.addEventListener('abort', abort, { once: true });
    request.on('data', take).once('end', end).once('error', fail);
  });
}
