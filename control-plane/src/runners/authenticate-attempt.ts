import { attemptById } from '../attempts/queries.ts';
import type { AttemptRow } from '../db/schema/attempts.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { sha256Hex } from '../sha256-hex.ts';

/** The attempt whose running lease an `Authorization` header's attempt token belongs to. 401 otherwise. */
export async function authenticateAttempt(
  deps: Pick<Deps, 'db'>,
  input: { attemptId: string; epoch: number; authorization: string | undefined },
): Promise<AttemptRow> {
  const token = /^Bearer (\S{1,512})$/.exec(input.authorization ?? '')?.[1];
  const row = await attemptById(deps.db, input.attemptId);
  const hash = token === undefined ? null : await sha256Hex(token);
  const holds =
    row !== null &&
    row.epoch === input.epoch &&
    row.status === 'running' &&
    row.released_at_ms === null;
  // Hashes are compared, so the time it takes says nothing about the token.
  if (!holds || hash === null || row.attempt_token_hash !== hash) {
    throw new AppError('unauthorized', 'the attempt token is not valid for this lease', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  return row;
}
