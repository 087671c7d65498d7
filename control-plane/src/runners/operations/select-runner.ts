import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { chooseRunner } from './decide.ts';
import { readPlaces } from './queries.ts';

/**
 * The runner and engine for an operation; without a named engine that of the thread, else
 * `otherwise`, else any. Throws a 503 if there is no such runner, a 404 for an unknown one, a 501
 * if the engine serves no operators.
 */
export async function selectRunner(
  deps: Pick<Deps, 'db' | 'connections'>,
  input: {
    wanted?: string | undefined;
    threadId?: string | undefined;
    engine?: string | undefined;
    otherwise?: string | undefined;
  },
): Promise<{ runnerId: string; engine: string | undefined }> {
  const { runners, thread } = await readPlaces(deps.db, input.threadId);
  const connected = await deps.connections.connected(runners.map((row) => row.runnerId));
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
