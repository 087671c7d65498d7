import { attemptById } from '../../attempts/queries.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { authenticateAttempt } from './authenticate-attempt.ts';

const KEY = /^attempts\/(att_[0-9a-z]{8,40})\/\d{1,9}\/[a-z0-9][a-z0-9._-]{0,63}$/;

/**
 * Streams a blob of an earlier attempt of the same issue to the holder of a lease. Throws a 401 or
 * a 404.
 */
export async function readBlob(
  deps: Pick<Deps, 'db' | 'blobs' | 'clock' | 'service'>,
  input: { attemptId: string; epoch: number; key: string; authorization: string | undefined },
): Promise<AsyncIterable<Uint8Array>> {
  const reader = await authenticateAttempt(deps, input);
  const owner = KEY.exec(input.key)?.[1];
  const source = owner === undefined ? null : await attemptById(deps.db, owner);
  const sameIssue =
    source !== null && source.tracker === reader.tracker && source.issue_id === reader.issue_id;
  const pieces = sameIssue ? await deps.blobs.open(input.key) : null;
  if (pieces === null) throw new AppError('not_found', 'blob not found');
  return pieces;
}
