import { and, countDistinct, gte, lt, sql } from 'drizzle-orm';
import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import type { Database } from '../../db/database.ts';
import { blobs } from '../../db/schema/operation/events.ts';
import type { Deps } from '../../deps.ts';
import { type ByteBudget, createByteBudget } from '../../http/limits/byte-budget.ts';
import { SHORT_DRAIN, streamBody, tooMuchAtOnce } from '../../http/limits/read-body.ts';
import { AppError } from '../../errors.ts';
import { attemptBlobKey, blobFolder } from '../../attempts/identity/attempt-blob-key.ts';
import { authenticateAttempt } from './authenticate-attempt.ts';

/** The runner's own timeout for an upload. */
const UPLOAD_TIMEOUT_MS = 60_000;
/** Blobs that one attempt may store, over all its epochs. */
const MAX_ATTEMPT_BLOBS = 512;
const MAX_ATTEMPT_MIB = 4_096;
const MAX_ATTEMPT_BYTES = MAX_ATTEMPT_MIB * 1_048_576;

/** Memory for one part of an upload, in all forms that it has on its way into the database. */
const UPLOAD_COST = 6_291_456;
const UPLOADS_AT_ONCE = 16;
const UPLOADS_PER_ATTEMPT = 4;

/** Limits the memory of concurrent uploads. */
export function createUploads(): ByteBudget {
  return createByteBudget({
    totalBytes: UPLOADS_AT_ONCE * UPLOAD_COST,
    perHolderBytes: UPLOADS_PER_ATTEMPT * UPLOAD_COST,
  });
}

/**
 * Stores an upload under the attempt token of its epoch. Throws a 401 for another token, a 413 over
 * 32 MiB or over the limit of the attempt, a 503 while too many uploads are running.
 */
export async function storeBlob(
  deps: Pick<Deps, 'db' | 'blobs' | 'clock' | 'service'>,
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
  if (!input.uploads.take(input.attemptId, UPLOAD_COST)) throw tooMuchAtOnce();
  try {
    const key = attemptBlobKey(input);
    const rules = { maxBytes: MAX_BLOB_BYTES, timeoutMs: UPLOAD_TIMEOUT_MS, drain: SHORT_DRAIN };
    let bytes = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of streamBody(input.request, rules)) {
        bytes += chunk.byteLength;
        yield chunk;
      }
    }
    await deps.blobs.put(key, counted());
    return { key, bytes };
  } finally {
    input.uploads.give(input.attemptId, UPLOAD_COST);
  }
}

/** Refuses an upload over the attempt's limit; concurrent uploads may exceed it slightly. */
async function requireRoom(db: Database, attemptId: string): Promise<void> {
  const folder = blobFolder(attemptId);
  const [kept] = await db
    .select({ count: countDistinct(blobs.key), bytes: sql<number | null>`sum(length(bytes))` })
    .from(blobs)
    .where(and(gte(blobs.key, folder), lt(blobs.key, `${folder}~`)));
  if ((kept?.count ?? 0) < MAX_ATTEMPT_BLOBS && (kept?.bytes ?? 0) < MAX_ATTEMPT_BYTES) return;
  throw new AppError(
    'too_large',
    `an attempt keeps at most ${MAX_ATTEMPT_BLOBS} uploads of ${MAX_ATTEMPT_MIB} MiB together`,
  );
}
