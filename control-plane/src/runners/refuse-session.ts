import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../deps.ts';
import { runnerById } from './queries.ts';
import { finalError, type RunnerSession } from './session.ts';

/** Names why a session may not speak for its runner any more, from the row read afterwards. */
export async function refuseSession(
  deps: Pick<Deps, 'db'>,
  session: RunnerSession,
  about: { ref?: string } = {},
): Promise<ControlPlaneMessage> {
  const runner = await runnerById(deps.db, session.runnerId);
  return runner === null || runner.revoked_at_ms !== null
    ? finalError('RUNNER_REVOKED', 'this runner was revoked; join again', about)
    : finalError('STALE_SESSION', 'a newer session of this runner has taken over', about);
}
