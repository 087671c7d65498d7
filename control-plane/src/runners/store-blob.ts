import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import type { Deps } from '../deps.ts';
import { type ByteBudget, createByteBudget } from '../http/byte-budget.ts';
import { readBody, SHORT_DRAIN } from '../http/read-body.ts';
import { authenticateAttempt } from './authenticate-attempt.ts';

/** What a runner itself gives an upload. */
const UPLOAD_TIMEOUT_MS = 60_000;

/** Where a runner's upload for one epoch is kept. */
function attemptBlobKey(input: { attemptId: string; epoch: number; name: string }): string {
  return `attempts/${input.attemptId}/${input.epoch}/${input.name}`;
}

/** Blobs on their way in, which may not all be in memory at once. */
export function createUploads(): ByteBudget {
  return createByteBudget({ totalBytes: 2 * MAX_BLOB_BYTES, perHolderBytes: MAX_BLOB_BYTES });
}

/**
 * Stores an upload under the attempt token of its epoch. 401 for another token, 413 over 32 MiB,
 * 503 while as much as is allowed is on its way.
 */
export async function storeBlob(
  deps: Pick<Deps, 'db' | 'blobs'>,
  input: {
    attemptId: string;
    epoch: number;
    name: string;
    authorization: string | undefined;
    request: Request;
    uploads: ByteBudget;
  },
): Promise<{ key: string; bytes: number }> {
  await authenticateAttempt(deps, input);
  const { chunks, release } = await readBody(input.request, {
    maxBytes: MAX_BLOB_BYTES,
    timeoutMs: UPLOAD_TIMEOUT_MS,
    drain: SHORT_DRAIN,
    budget: input.uploads,
    holder: input.attemptId,
  });
  try {
    const bytes = joined(chunks);
    const key = attemptBlobKey(input);
    await deps.blobs.put(key, bytes);
    return { key, bytes: bytes.byteLength };
  } finally {
    release();
  }
}

/** Empties the list on its way, so that the bytes need not all be there twice. */
function joined(chunks: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let offset = 0;
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
