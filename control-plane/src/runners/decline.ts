import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { endAttempt } from '../attempts/end-attempt.ts';
import { attemptWithIssue } from '../attempts/queries.ts';
import { requeueAttempt } from '../attempts/requeue-attempt.ts';
import { isFenced } from '../db/require-change.ts';
import type { Deps } from '../deps.ts';
import type { Replies, RunnerSession } from './session.ts';

/** A runner refuses an offer: it goes to another one; an unusable specification ends the attempt. */
export async function handleDecline(
  deps: Deps,
  session: RunnerSession,
  message: RunnerMessageOf<'decline'>,
): Promise<Replies> {
  const pair = await attemptWithIssue(deps.db, message.attemptId);
  if (pair === null) return [];
  const { attempt, issue } = pair;
  const mine = attempt.epoch === message.epoch && attempt.runner_id === session.runnerId;
  if (!mine || attempt.status !== 'queued') return [];
  const nowMs = deps.clock.nowMs();
  const why = message.message ?? message.code;
  try {
    if (message.code === 'SPEC_INVALID') {
      const config = await deps.config.load();
      const { statements } = endAttempt(deps.db, {
        attempt,
        issue,
        ending: {
          outcome: 'failed',
          failureKind: 'workspace_error',
          message: `the runner refused the specification: ${why}`,
          marker: null,
          resetAtMs: null,
        },
        policy: config.agent,
        nowMs,
        fence: true,
      });
      await deps.db.batch(statements);
    } else {
      const reason = `waiting for a runner (the last one declined: ${why})`;
      await deps.db.batch(requeueAttempt(deps.db, { attempt, reason, lost: false, nowMs }));
    }
  } catch (error) {
    if (!isFenced(error)) throw error;
  }
  deps.events.notify(0);
  deps.wake();
  return [];
}
