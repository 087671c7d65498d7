import type { IncomingMessage } from 'node:http';

/** Reads a body; null when it is too long or too slow, with the rest discarded. */
export async function readBody(
  request: IncomingMessage,
  limits: { requestBodyBytes: number; bodyTimeoutMs: number },
): Promise<string | null> {
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => resolve(null), limits.bodyTimeoutMs);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limits.requestBodyBytes) chunks.push(chunk);
      else resolve(null);
    });
    request.once('error', reject);
    request.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the client closed the connection'));
    });
    request.once('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}
