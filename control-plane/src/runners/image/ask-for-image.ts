import type { CallParams } from '@switchyard/shared/protocol/calls';
import type { SandboxImage } from '@switchyard/shared/sandbox/sandbox-image';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { runnerById } from '../queries.ts';

/** Timeout of a runner's answer; the build itself continues in the background. */
const ANSWER_TIMEOUT_MS = 10_000;

type AskDeps = Pick<Deps, 'db' | 'clock' | 'connections'>;

/**
 * The state of a runner's sandbox image. Throws a 404 for an unknown runner, a 409 for a version
 * that does not support this, a 503 while it is not connected.
 */
export async function askForImage(deps: AskDeps, runnerId: string): Promise<SandboxImage> {
  return ask(deps, runnerId, { provide: false });
}

/**
 * Starts the build or pull of a runner's sandbox image in the background, unless the image is
 * there. With `baseImage` an image on another base is built again. Throws as `askForImage` does,
 * and a 409 for a base that the runner's operator did not allow.
 */
export async function provideImage(
  deps: AskDeps,
  {
    runnerId,
    baseImage,
    caller,
  }: { runnerId: string; baseImage?: string | undefined; caller: Caller },
): Promise<SandboxImage> {
  if (baseImage !== undefined) await requireNamesBase(deps, runnerId);
  const named = baseImage === undefined ? {} : { baseImage };
  const answer = await ask(deps, runnerId, { provide: true, ...named });
  const { image, source, state } = answer;
  const entry = {
    operation: 'runner.provide_image',
    subject: runnerId,
    details: { image, source, state, ...named },
  };
  await deps.db.batch([auditStatement(deps.db, deps.clock.nowMs(), caller, entry)]);
  return answer;
}

/** A runner of an earlier version would silently build on its usual base. */
async function requireNamesBase(deps: AskDeps, runnerId: string): Promise<void> {
  if ((await ask(deps, runnerId, { provide: false })).baseImage !== undefined) return;
  const { name, version } = await requireRunner(deps, runnerId);
  const message = `runner ${name} (version ${version}) builds on no base image that is named here; update it, or start it with --base-image`;
  throw new AppError('conflict', message, { reason: 'runner_too_old' });
}

async function requireRunner({ db }: AskDeps, runnerId: string) {
  const row = await runnerById(db, runnerId);
  if (row === null || row.revoked_at_ms !== null)
    throw new AppError('not_found', `runner ${runnerId} not found`);
  return row;
}

async function ask(
  deps: AskDeps,
  runnerId: string,
  params: CallParams<'sandbox.image'>,
): Promise<SandboxImage> {
  const row = await requireRunner(deps, runnerId);
  if (!(await deps.connections.connected([runnerId])).has(runnerId)) {
    throw new AppError('unavailable', `runner ${row.name} is not connected`, {
      reason: 'runner_offline',
    });
  }
  try {
    return await deps.connections.call(runnerId, 'sandbox.image', params, ANSWER_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.reason === 'BASE_REFUSED')
      throw new AppError('conflict', error.message, { reason: 'base_image_refused' });
    if (error.reason !== 'UNSUPPORTED') throw error;
    const message = `runner ${row.name} (version ${row.version}) builds no image by itself; update it`;
    throw new AppError('conflict', message, { reason: 'runner_too_old' });
  }
}
