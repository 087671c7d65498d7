import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { chooseRunner } from './decide.ts';
import { readPlaces } from './queries.ts';

/**
 * The runner that is asked, and its engine; an engine that is left out is the thread's, else
 * `otherwise`, else any. Throws 503 without such a runner, 404 for a named one that is unknown, 501
 * for an engine that answers no operators.
 */
export async function selectRunner(
  deps: Pick<Deps, 'db' | 'sockets'>,
  input: {
    wanted?: string | undefined;
    threadId?: string | undefined;
    engine?: string | undefined;
    otherwise?: string | undefined;
  },
): Promise<{ runnerId: string; engine: string | undefined }> {
  const { runners, thread } = await readPlaces(deps.db, input.threadId);
  const connected = await deps.sockets.connected(runners.map((row) => row.runnerId));
  const engine = input.engine ?? thread?.engine ?? input.otherwise;
  const choice = chooseRunner({
    runners: runners.map((row) => ({ ...row, connected: connected.has(row.runnerId) })),
    wanted: input.wanted,
    thread,
    engine,
  });
  switch (choice.kind) {
    case 'runner':
      return { runnerId: choice.runnerId, engine };
    case 'unknown_runner':
      throw new AppError('not_found', `runner ${input.wanted} not found`);
    case 'unsupported':
      throw new AppError('unsupported_by_engine', choice.message, { reason: 'engine_unsupported' });
    case 'unavailable':
      throw new AppError('unavailable', choice.message, { reason: 'no_runner' });
  }
}
