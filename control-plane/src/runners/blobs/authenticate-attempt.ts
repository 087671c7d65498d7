import { eq } from 'drizzle-orm';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { sha256Hex } from '../../sha256-hex.ts';
import { isLeaseOver } from '../leases/holds-lease.ts';

/**
 * Forms of the Authorization header and of attempt ids; others are refused without a database read.
 */
const TOKEN = /^Bearer ([A-Za-z0-9_-]{8,128})$/;
const ATTEMPT_ID = /^att_[0-9a-z]{1,64}$/;

/**
 * The attempt whose running lease an attempt token belongs to. Throws a 401 otherwise, also if its
 * runner was revoked or its lease has expired.
 */
export async function authenticateAttempt(
  deps: Pick<Deps, 'db' | 'clock' | 'service'>,
  input: { attemptId: string; epoch: number; authorization: string | undefined },
): Promise<AttemptRow> {
  const token = TOKEN.exec(input.authorization ?? '')?.[1];
  // A token or id of the wrong format is refused without a database read.
  if (token === undefined || !ATTEMPT_ID.test(input.attemptId)) throw refused();
  const [found] = await deps.db
    .select({ attempt: attempts, runner: runners })
    .from(attempts)
    .innerJoin(runners, eq(runners.runner_id, attempts.runner_id))
    .where(eq(attempts.attempt_id, input.attemptId));
  const hash = await sha256Hex(token);
  const { attempt, runner } = found ?? {};
  const holds =
    attempt?.epoch === input.epoch &&
    attempt.status === 'running' &&
    attempt.released_at_ms === null &&
    runner?.revoked_at_ms === null &&
    !isLeaseOver(deps, runner);
  // Comparing hashes leaks nothing about the token through timing.
  if (!holds || attempt.attempt_token_hash !== hash) throw refused();
  return attempt;
}

function refused(): AppError {
  return new AppError('unauthorized', 'the attempt token is not valid for this lease', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
