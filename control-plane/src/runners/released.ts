import { attemptById } from '../attempts/queries.ts';
import type { Deps } from '../deps.ts';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { loseAttempt, takeBack } from './lose-attempts.ts';
import { refuseClaim } from './refuse-claim.ts';
import type { Replies, RunnerSession } from './session.ts';
import { sessionIsCurrent } from './session-is-current.ts';

/**
 * A runner gives an attempt back, its container confirmed gone: it is queued again. In good order
 * that is no loss; a runner that met trouble counts as lost, so that the third time ends it.
 */
export async function handleReleased(
  deps: Deps,
  session: RunnerSession,
  message: RunnerMessageOf<'released'>,
): Promise<Replies> {
  const row = await attemptById(deps.db, message.attemptId);
  const mine = row !== null && row.epoch === message.epoch && row.runner_id === session.runnerId;
  if (row === null || !mine || row.status !== 'running' || row.released_at_ms !== null) return [];
  const onlyIf = sessionIsCurrent(session);
  const taken =
    message.orderly === true
      ? await takeBack(deps, row, { why: message.why, onlyIf })
      : await loseAttempt(deps, row, message.why, onlyIf);
  if (!taken) return [await refuseClaim(deps, session, message)];
  deps.events.notify(0);
  deps.wake();
  return [];
}
