import { and, count, countDistinct, gte, lt } from 'drizzle-orm';
import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import type { Database } from '../../db/database.ts';
import { blobs } from '../../db/schema/operation/events.ts';
import type { Deps } from '../../deps.ts';
import { type ByteBudget, createByteBudget } from '../../http/limits/byte-budget.ts';
import { readBody, SHORT_DRAIN } from '../../http/limits/read-body.ts';
import { AppError } from '../../errors.ts';
import { attemptBlobKey, blobFolder } from './attempt-blob-key.ts';
import { authenticateAttempt } from './authenticate-attempt.ts';

/** What a runner itself gives an upload. */
const UPLOAD_TIMEOUT_MS = 60_000;
/** What one attempt may keep here, all its epochs together. */
const MAX_ATTEMPT_BLOBS = 512;
const MAX_ATTEMPT_MIB = 4_096;

/** Chunks cost more than their bytes: this is room for those of one whole upload. */
const MAX_UPLOAD_COST = 2 * MAX_BLOB_BYTES;

/** Blobs on their way in, which may not all be in memory at once. */
export function createUploads(): ByteBudget {
  return createByteBudget({ totalBytes: 2 * MAX_UPLOAD_COST, perHolderBytes: MAX_UPLOAD_COST });
}

/**
 * Stores an upload under the attempt token of its epoch. 401 for another token, 413 over 32 MiB or
 * over what one attempt may keep, 503 while as much as is allowed is on its way.
 */
export async function storeBlob(
  deps: Pick<Deps, 'db' | 'blobs' | 'clock' | 'leases' | 'service'>,
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
  await requireRoom(deps.db, input.attemptId);
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

/** Parts of blobs are at most 1 MiB each. Those that come at once may be a few too many. */
async function requireRoom(db: Database, attemptId: string): Promise<void> {
  const folder = blobFolder(attemptId);
  const [kept] = await db
    .select({ count: countDistinct(blobs.key), parts: count() })
    .from(blobs)
    .where(and(gte(blobs.key, folder), lt(blobs.key, `${folder}~`)));
  if ((kept?.count ?? 0) < MAX_ATTEMPT_BLOBS && (kept?.parts ?? 0) < MAX_ATTEMPT_MIB) return;
  throw new AppError(
    'too_large',
    `an attempt keeps at most ${MAX_ATTEMPT_BLOBS} uploads of ${MAX_ATTEMPT_MIB} MiB together`,
  );
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
