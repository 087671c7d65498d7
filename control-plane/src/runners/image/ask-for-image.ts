import type { SandboxImage } from '@switchyard/shared/sandbox/sandbox-image';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../observe/audit/caller.ts';
import { runnerById } from '../queries.ts';

/** A runner answers from memory; the build goes on behind its answer. */
const ANSWER_TIMEOUT_MS = 10_000;

type AskDeps = Pick<Deps, 'db' | 'clock' | 'sockets' | 'calls'>;

/**
 * How the sandbox image of a runner stands. Throws a 404 for an unknown runner, a 409 for one whose
 * version has no such answer, a 503 while it is not connected.
 */
export async function askForImage(deps: AskDeps, runnerId: string): Promise<SandboxImage> {
  return ask(deps, runnerId, false);
}

/** Has a runner build or pull its sandbox image beside its work. Throws as `askForImage` does. */
export async function provideImage(
  deps: AskDeps,
  { runnerId, caller }: { runnerId: string; caller: Caller },
): Promise<SandboxImage> {
  const answer = await ask(deps, runnerId, true);
  const { image, source, state } = answer;
  const entry = {
    operation: 'runner.provide_image',
    subject: runnerId,
    details: { image, source, state },
  };
  await deps.db.batch([auditStatement(deps.db, deps.clock.nowMs(), caller, entry)]);
  return answer;
}

async function ask(deps: AskDeps, runnerId: string, provide: boolean): Promise<SandboxImage> {
  const row = await runnerById(deps.db, runnerId);
  if (row === null || row.revoked_at_ms !== null)
    throw new AppError('not_found', `runner ${runnerId} not found`);
  if (!(await deps.sockets.connected([runnerId])).has(runnerId)) {
    throw new AppError('unavailable', `runner ${row.name} is not connected`, {
      reason: 'runner_offline',
    });
  }
  try {
    return await deps.calls.call(runnerId, 'sandbox.image', { provide }, ANSWER_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof AppError) || error.reason !== 'UNSUPPORTED') throw error;
    const message = `runner ${row.name} (version ${row.version}) builds no image by itself; update it`;
    throw new AppError('conflict', message, { reason: 'runner_too_old' });
  }
}
