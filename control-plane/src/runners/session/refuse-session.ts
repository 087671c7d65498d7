import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../../deps.ts';
import { runnerById } from '../queries.ts';
import { finalError, retryableError, type RunnerSession } from './runner-session.ts';

/** Explains why a session may no longer act for its runner, from the row read afterwards. */
export async function refuseSession(
  deps: Pick<Deps, 'db'>,
  session: RunnerSession,
  about: { ref?: string } = {},
): Promise<ControlPlaneMessage> {
  const runner = await runnerById(deps.db, session.runnerId);
  if (runner === null || runner.revoked_at_ms !== null)
    return finalError('RUNNER_REVOKED', 'this runner was revoked; join again', about);
  if (runner.session !== session.session)
    return finalError('STALE_SESSION', 'a newer session of this runner has taken over', about);
  return retryableError('UNAVAILABLE', 'another instance leads; connect again', about);
}
