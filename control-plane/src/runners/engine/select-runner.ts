import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { chooseRunner } from './decide.ts';
import { readPlaces } from './queries.ts';

/** The runner whose engine is asked. Throws 503 without one, 404 for a named one that is unknown. */
export async function selectRunner(
  deps: Pick<Deps, 'db' | 'sockets'>,
  input: { wanted?: string | undefined; threadId?: string | undefined },
): Promise<string> {
  const { runners, thread } = await readPlaces(deps.db, input.threadId);
  const connected = await deps.sockets.connected(runners.map((row) => row.runnerId));
  const choice = chooseRunner({
    runners: runners.map((row) => ({ ...row, connected: connected.has(row.runnerId) })),
    wanted: input.wanted,
    thread,
  });
  if (choice.kind === 'runner') return choice.runnerId;
  if (choice.kind === 'unknown_runner') {
    throw new AppError('not_found', `runner ${input.wanted} not found`);
  }
  throw new AppError('unavailable', choice.message, { reason: 'no_runner' });
}
