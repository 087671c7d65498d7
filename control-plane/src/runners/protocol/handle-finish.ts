import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { countEndedAttempt } from '../../attempts/count-ended-attempt.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { Deps } from '../../deps.ts';
import { collectFinish } from '../finish/collect-finish.ts';
import { commitFinish } from '../finish/commit-finish.ts';
import { decideFinish } from '../finish/decide-finish.ts';
import { refuseClaim } from '../session/refuse-claim.ts';
import { finalError, type Replies, type RunnerSession } from '../session/runner-session.ts';

/**
 * Handles `finish`, the end of an attempt. From the holder of the lease it is accepted only when
 * every event is stored unchanged. Finished work leaves the attempt `delivering` until its pull
 * request is open. A repeated one gets the same answer.
 */
export async function handleFinish(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics' | 'config'>,
  session: RunnerSession,
  message: RunnerMessageOf<'finish'>,
): Promise<Replies> {
  const { attemptId, epoch } = message;
  const finished: Replies = [{ type: 'finished', attemptId, epoch }];
  const facts = await collectFinish(deps, session.runnerId, message);
  if (facts.standing === 'answered') return finished;
  if (facts.standing === 'foreign') return [await refuseClaim(deps, session, message)];
  const decision = decideFinish(facts, message);
  if (decision.kind === 'resend')
    return [{ type: 'ack', attemptId, epoch, upto: decision.uptoSeq }];
  if (decision.kind === 'invalid')
    return [finalError(decision.code, decision.problem, { attemptId })];
  if (decision.kind === 'refuse') return [await refuseClaim(deps, session, message)];
  const { kind } = decision;
  if (!(await commitFinish(deps, session, { kind, facts, message }))) {
    // A stop was requested in the meantime; the second pass includes it.
    if (await isStoppedSince(deps, facts.attempt)) return handleFinish(deps, session, message);
    return [await refuseClaim(deps, session, message)];
  }
  if (kind === 'end') countEndedAttempt(deps.metrics, facts.attempt, facts.ending.outcome);
  return finished;
}

/** Whether a stop was requested since the attempt was read, while its lease stayed the same. */
async function isStoppedSince(
  { db }: Pick<Deps, 'db'>,
  { attempt_id: attemptId, epoch, cancel_requested_at_ms: askedAtMs }: AttemptRow,
): Promise<boolean> {
  if (askedAtMs !== null) return false;
  const pair = await attemptWithIssue(db, attemptId);
  return pair?.attempt.epoch === epoch && pair.attempt.cancel_requested_at_ms !== null;
}
