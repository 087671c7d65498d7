import { eq } from 'drizzle-orm';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { commitChange } from '../../observe/events/commit-change.ts';
import { countEndedAttempt } from '../../attempts/count-ended-attempt.ts';
import { endAttemptSteps } from '../../attempts/end-attempt-steps.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import { requeueAttemptSteps } from '../../attempts/requeue-attempt-steps.ts';
import type { Step } from '../../db/commit-steps.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { visibleLine } from '../../attempts/prompt/untrusted-text.ts';
import { refuseClaim } from '../session/refuse-claim.ts';
import type { Replies, RunnerSession } from '../session/runner-session.ts';
import { sessionIsCurrent } from '../session/session-is-current.ts';

/** Pause after a decline, so that a full runner does not get the offer again at once. */
const DECLINED_PAUSE_MS = 1_000;

/**
 * Handles `decline`: the attempt is queued again for any runner, or an unusable specification ends
 * it.
 */
export async function handleDecline(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics' | 'config'>,
  session: RunnerSession,
  message: RunnerMessageOf<'decline'>,
): Promise<Replies> {
  const pair = await attemptWithIssue(deps.db, message.attemptId);
  if (pair === null) return [];
  const { attempt, issue } = pair;
  const isOwn = attempt.epoch === message.epoch && attempt.runner_id === session.runnerId;
  if (!isOwn || attempt.status !== 'queued') return [];
  const nowMs = deps.clock.nowMs();
  const why = visibleLine(message.message ?? message.code);
  const onlyIf = sessionIsCurrent(session);
  const isInvalid = message.code === 'SPEC_INVALID';
  let steps: Step[];
  if (isInvalid) {
    const config = await deps.config.load();
    ({ steps } = endAttemptSteps(deps.db, {
      attempt,
      issue,
      ending: {
        outcome: 'failed',
        failureKind: 'workspace_error',
        code: 'workspace_error',
        message: `the runner refused the specification: ${why}`,
        marker: null,
        resetAtMs: null,
      },
      policy: config.agent,
      nowMs,
      fence: true,
      onlyIf,
    }));
  } else {
    const reason = `waiting for a runner (the last one declined: ${why})`;
    const draining = message.code === 'DRAINING';
    const notBefore = draining ? {} : { notBeforeMs: nowMs + DECLINED_PAUSE_MS };
    const requeue = { attempt, reason, code: 'runner_declined', lost: false, nowMs } as const;
    steps = [
      ...requeueAttemptSteps(deps.db, { ...requeue, onlyIf, ...notBefore }),
      ...(draining ? [drainStatement(deps, session)] : []),
    ];
  }
  if (!(await commitChange(deps, { also: steps, nowMs }))) {
    return [await refuseClaim(deps, session, message)];
  }
  if (isInvalid) countEndedAttempt(deps.metrics, attempt, 'failed');
  return [];
}

/**
 * Marks the runner as draining if it declines for that reason, even if its own message is still on
 * its way.
 */
function drainStatement(deps: Pick<Deps, 'db'>, session: RunnerSession) {
  return deps.db
    .update(runners)
    .set({ draining: true })
    .where(eq(runners.runner_id, session.runnerId));
}
