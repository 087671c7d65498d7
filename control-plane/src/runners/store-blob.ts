import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { authenticateAttempt } from './authenticate-attempt.ts';

/** Where a runner's upload for one epoch is kept. */
function attemptBlobKey(input: { attemptId: string; epoch: number; name: string }): string {
  return `attempts/${input.attemptId}/${input.epoch}/${input.name}`;
}

/** Stores an upload under the attempt token of its epoch. 401 for another token, 413 over 32 MiB. */
export async function storeBlob(
  deps: Pick<Deps, 'db' | 'blobs'>,
  input: {
    attemptId: string;
    epoch: number;
    name: string;
    authorization: string | undefined;
    body: ReadableStream<Uint8Array> | null;
  },
): Promise<{ key: string; bytes: number }> {
  await authenticateAttempt(deps, input);
  const bytes = await readLimited(input.body, MAX_BLOB_BYTES);
  const key = attemptBlobKey(input);
  await deps.blobs.put(key, bytes);
  return { key, bytes: bytes.byteLength };
}

async function readLimited(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new AppError('too_large', `a blob is at most ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
