import { decodeJwt, importJWK, jwtVerify } from 'jose';
import { ACCESS_TOKEN_TTL_MS } from '@switchyard/shared/protocol/limits';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { runnerById } from '../queries.ts';

const CLOCK_TOLERANCE_S = 60;

/** What a runner's id and a signature by its kind of key look like. */
const RUNNER_ID = /^run_[0-9a-z]{1,64}$/;
const TOKEN = /^Bearer ([A-Za-z0-9_-]{1,512}\.[A-Za-z0-9_-]{1,2048}\.[A-Za-z0-9_-]{86})$/;

/**
 * Authenticates a runner by its `Authorization` header: an EdDSA JWT that it signed for this
 * service's audience, valid for at most ten minutes. Throws a 401 otherwise. The claims are checked
 * first, so that an invalid token costs no database read and no cryptography.
 */
export async function authenticateRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'service'>,
  authorization: string | null | undefined,
): Promise<RunnerRow> {
  const token = TOKEN.exec(authorization ?? '')?.[1];
  if (token === undefined) throw unauthorized('a runner token is required');
  try {
    const sub = claimedRunner(deps, token);
    const runner = sub === null ? null : await runnerById(deps.db, sub);
    if (runner === null || runner.revoked_at_ms !== null)
      throw unauthorized('this runner is unknown or revoked');
    const key = await importJWK(runner.signing_key, 'EdDSA');
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['EdDSA', 'Ed25519'],
      audience: deps.service.audience,
      subject: runner.runner_id,
      issuer: runner.runner_id,
      requiredClaims: ['exp', 'iat'],
      maxTokenAge: ACCESS_TOKEN_TTL_MS / 1_000,
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(deps.clock.nowMs()),
    });
    const lifeS = (payload.exp ?? Number.POSITIVE_INFINITY) - (payload.iat ?? 0);
    if (lifeS * 1_000 > ACCESS_TOKEN_TTL_MS) throw unauthorized('the runner token lives too long');
    return runner;
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof Error && 'code' in error)
      throw unauthorized('the runner token is not valid');
    throw error;
  }
}

/**
 * The runner id in a token whose claims are valid now; null otherwise. The signature is not checked
 * yet.
 */
function claimedRunner(deps: Pick<Deps, 'clock' | 'service'>, token: string): string | null {
  const { sub, iss, aud, exp } = decodeJwt(token);
  if (sub === undefined || !RUNNER_ID.test(sub) || iss !== sub) return null;
  if (aud !== deps.service.audience || typeof exp !== 'number') return null;
  return exp + CLOCK_TOLERANCE_S < deps.clock.nowMs() / 1_000 ? null : sub;
}

function unauthorized(message: string): AppError {
  return new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
