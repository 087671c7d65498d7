import { deleteFact, setFact } from '../../db/set-fact.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { attemptWithIssue, liveAttempts } from '../../attempts/queries.ts';
import { requestCancel } from '../../attempts/request-cancel.ts';
import type { Deps } from '../../deps.ts';
import { PAUSE_FACT, type Pause } from './queries.ts';

/**
 * Pauses the service: nothing new starts until `resume`. With `stopRunning` running attempts are
 * stopped and continue after the pause.
 */
export async function pauseService(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections' | 'wake'>,
  input: { reason: string; stopRunning: boolean; caller: Caller },
): Promise<{ reason: string; since: string; stopping: number }> {
  const nowMs = deps.clock.nowMs();
  const value: Pause = { reason: input.reason, sinceMs: nowMs, actor: input.caller.actor };
  await commitChange(deps, {
    also: [setFact(deps.db, nowMs, PAUSE_FACT, value)],
    audit: {
      caller: input.caller,
      operation: 'service.pause',
      details: { reason: input.reason, stopRunning: input.stopRunning },
    },
    events: [{ type: 'service.paused', data: { reason: input.reason } }],
    nowMs,
  });
  const stopping = input.stopRunning ? await stopAll(deps, input.reason) : 0;
  deps.wake();
  return { reason: input.reason, since: new Date(nowMs).toISOString(), stopping };
}

async function stopAll(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections'>,
  reason: string,
): Promise<number> {
  let stopping = 0;
  for (const attempt of await liveAttempts(deps.db)) {
    // An attempt that is being delivered is finished work, which a stop would only lose.
    if (attempt.released_at_ms !== null || attempt.cancel_requested_at_ms !== null) continue;
    const pair = await attemptWithIssue(deps.db, attempt.attempt_id);
    if (pair === null) continue;
    if (
      await requestCancel(deps, {
        ...pair,
        reason: `paused: ${reason}`,
        code: 'stopped_by_pause',
        kind: 'pause',
      })
    )
      stopping += 1;
  }
  return stopping;
}

/** Ends the pause, so that work starts again. */
export async function resumeService(
  deps: Pick<Deps, 'db' | 'clock' | 'wake'>,
  caller: Caller,
): Promise<void> {
  await commitChange(deps, {
    also: [deleteFact(deps.db, PAUSE_FACT)],
    audit: { caller, operation: 'service.resume' },
    events: [{ type: 'service.resumed', data: {} }],
  });
  deps.wake();
}
