import type { CallParams } from '@switchyard/shared/protocol/calls';
import type { SandboxImage } from '@switchyard/shared/sandbox/sandbox-image';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { runnerById } from '../queries.ts';

/** A runner answers from memory; the build goes on behind its answer. */
const ANSWER_TIMEOUT_MS = 10_000;

type AskDeps = Pick<Deps, 'db' | 'clock' | 'sockets' | 'calls'>;

/**
 * How the sandbox image of a runner stands. Throws a 404 for an unknown runner, a 409 for one whose
 * version has no such answer, a 503 while it is not connected.
 */
export async function askForImage(deps: AskDeps, runnerId: string): Promise<SandboxImage> {
  return ask(deps, runnerId, { provide: false });
}

/**
 * Has a runner build or pull its sandbox image beside its work, unless it is there. With `baseImage`
 * one that stands on another image is built anew. Throws as `askForImage` does, and a 409 for a base
 * that the runner's operator did not name.
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

/** An earlier version would build on its usual base without a word. */
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
  if (!(await deps.sockets.connected([runnerId])).has(runnerId)) {
    throw new AppError('unavailable', `runner ${row.name} is not connected`, {
      reason: 'runner_offline',
    });
  }
  try {
    return await deps.calls.call(runnerId, 'sandbox.image', params, ANSWER_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.reason === 'BASE_REFUSED')
      throw new AppError('conflict', error.message, { reason: 'base_image_refused' });
    if (error.reason !== 'UNSUPPORTED') throw error;
    const message = `runner ${row.name} (version ${row.version}) builds no image by itself; update it`;
    throw new AppError('conflict', message, { reason: 'runner_too_old' });
  }
}
