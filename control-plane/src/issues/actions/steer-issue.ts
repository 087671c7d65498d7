import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { SteerResponse } from '@switchyard/shared/api/work/issue';
import { messageOf } from '@switchyard/shared/message-of';
import { sendSteers } from '../../attempts/rows/store-steers.ts';
import { updateAttempt } from '../../attempts/rows/update-attempt.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { currentAttempt } from '../../attempts/queries.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { requireIssue } from '../queries.ts';
import { forgetUnattendedRuns } from '../../db/rows/update-issue.ts';

/**
 * Longest wait for the engine's confirmation; afterwards each lease renewal repeats the message.
 */
const HAND_OVER_TIMEOUT_MS = 5_000;

/**
 * Sends a person's guidance to the running turn of an issue's agent. The message is stored first,
 * so that a lost connection does not lose it. Throws a 404, or a 409 when no turn is live.
 */
export async function steerIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'connections' | 'logger'>,
  input: { identifier: string; caller: Caller; message: string },
): Promise<SteerResponse> {
  const issue = await requireIssue(deps.db, input.identifier);
  const attempt = await currentAttempt(deps.db, issue);
  const idle = () => new AppError('conflict', `no turn of issue ${issue.identifier} is live`);
  if (attempt === null || attempt.status !== 'running' || attempt.turn_id === null) throw idle();
  const steer = { messageId: deps.ids.next('cmt'), text: input.message.toWellFormed() };
  const nowMs = deps.clock.nowMs();
  const isTurnLive = and(eq(attempts.status, 'running'), isNotNull(attempts.turn_id));
  const committed = await commitChange(deps, {
    // Writes the value that is there: the compare-and-swap only checks that the turn is still live.
    swap: updateAttempt(deps.db, attempt, { turn_id: sql`${attempts.turn_id}` }, isTurnLive),
    also: [
      forgetUnattendedRuns(deps.db, issue),
      ...sendSteers(deps.db, nowMs, attempt, [{ ...steer, actor: input.caller.actor }]),
    ],
    audit: {
      caller: input.caller,
      operation: 'issue.steer',
      subject: issue.identifier,
      details: { attemptId: attempt.attempt_id, messageId: steer.messageId },
    },
    nowMs,
  });
  if (!committed) throw idle();
  return { ok: true, delivered: await handOver(deps, attempt, steer) };
}

async function handOver(
  deps: Pick<Deps, 'connections' | 'logger'>,
  attempt: AttemptRow,
  steer: { messageId: string; text: string },
): Promise<boolean> {
  const { runner_id: runnerId, attempt_id: attemptId, epoch } = attempt;
  if (runnerId === null) return false;
  try {
    const params = { attemptId, epoch, ...steer };
    const answer = await deps.connections.call(
      runnerId,
      'turn.steer',
      params,
      HAND_OVER_TIMEOUT_MS,
    );
    return answer.delivered;
  } catch (error) {
    const message = messageOf(error);
    deps.logger.info('words for an agent wait for its runner', { attemptId, error: message });
    // An older runner does not know the call; it receives the guidance as a `steer` message.
    deps.connections.send(runnerId, [{ type: 'steer', attemptId, epoch, steer }]);
    return false;
  }
}
