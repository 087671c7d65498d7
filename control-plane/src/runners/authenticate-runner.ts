import { decodeJwt, importJWK, jwtVerify } from 'jose';
import { ACCESS_TOKEN_TTL_MS } from '@switchyard/shared/protocol/limits';
import type { RunnerRow } from '../db/schema/runners.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { runnerById } from './queries.ts';

const CLOCK_TOLERANCE_S = 60;

/**
 * The runner behind an `Authorization` header: an EdDSA JWT that the runner signed itself, for this
 * service's audience, at most ten minutes long. 401 otherwise.
 */
export async function authenticateRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'service'>,
  authorization: string | null | undefined,
): Promise<RunnerRow> {
  const token = /^Bearer ([A-Za-z0-9._-]{1,4096})$/.exec(authorization ?? '')?.[1];
  if (token === undefined) throw unauthorized('a runner token is required');
  try {
    const { sub } = decodeJwt(token);
    const runner = sub === undefined ? null : await runnerById(deps.db, sub);
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

function unauthorized(message: string): AppError {
  return new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
