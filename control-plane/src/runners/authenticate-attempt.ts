import { attemptById } from '../attempts/queries.ts';
import type { AttemptRow } from '../db/schema/attempts.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { sha256Hex } from '../sha256-hex.ts';

/** As `ids.secret` and `ids.next` make them. */
const TOKEN = /^Bearer ([A-Za-z0-9_-]{8,128})$/;
const ATTEMPT_ID = /^att_[0-9a-z]{1,64}$/;

/** The attempt whose running lease an `Authorization` header's attempt token belongs to. 401 otherwise. */
export async function authenticateAttempt(
  deps: Pick<Deps, 'db'>,
  input: { attemptId: string; epoch: number; authorization: string | undefined },
): Promise<AttemptRow> {
  const token = TOKEN.exec(input.authorization ?? '')?.[1];
  // What cannot be one costs no read.
  if (token === undefined || !ATTEMPT_ID.test(input.attemptId)) throw refused();
  const row = await attemptById(deps.db, input.attemptId);
  const hash = await sha256Hex(token);
  const holds =
    row !== null &&
    row.epoch === input.epoch &&
    row.status === 'running' &&
    row.released_at_ms === null;
  // Hashes are compared, so the time it takes says nothing about the token.
  if (!holds || row.attempt_token_hash !== hash) throw refused();
  return row;
}

function refused(): AppError {
  return new AppError('unauthorized', 'the attempt token is not valid for this lease', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
