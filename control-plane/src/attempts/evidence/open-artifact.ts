import type { Artifact } from '@switchyard/shared/evidence/artifact';
import { eq } from 'drizzle-orm';
import { attemptArtifacts } from '../../db/schema/work/attempt-artifacts.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { requireAttempt } from '../queries.ts';

/**
 * An artifact of an attempt, with its bytes as a stream. 404 when the row or the blob is missing.
 */
export async function openArtifact(
  deps: Pick<Deps, 'db' | 'blobs'>,
  { attemptId, sha256 }: { attemptId: string; sha256: string },
): Promise<{ file: Artifact; pieces: AsyncIterable<Uint8Array> }> {
  const [row] = await deps.db
    .select()
    .from(attemptArtifacts)
    .where(eq(attemptArtifacts.attempt_id, attemptId));
  if (row === undefined) await requireAttempt(deps.db, attemptId);
  const file = row?.files.find((each) => each.sha256 === sha256);
  if (file === undefined) {
    const where = `/api/v1/attempts/${attemptId}/evidence lists the files that are kept`;
    throw new AppError('not_found', `file ${sha256} of attempt ${attemptId} not found; ${where}`);
  }
  const pieces = await deps.blobs.open(file.blob);
  if (pieces === null) {
    const why = 'they were never stored, or retention.blobsDays has passed';
    throw new AppError('not_found', `the bytes of file ${sha256} are not kept: ${why}`);
  }
  return { file, pieces: exactly(pieces, file.bytes) };
}

/**
 * Passes on exactly `bytes` bytes and throws if there are more or fewer: surplus bytes of a lying
 * runner would be read as the next response of the connection.
 */
async function* exactly(
  pieces: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const piece of pieces) {
    left -= piece.byteLength;
    if (left < 0) break;
    // A copy, because the platform may reuse a piece's memory before the whole text is read.
    yield new Uint8Array(piece);
  }
  if (left !== 0)
    throw new Error(`a stored file does not have the ${bytes} bytes it was told to have`);
}
