import { eq } from 'drizzle-orm';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { countRun } from '../../attempts/count-run.ts';
import { endAttempt } from '../../attempts/end-attempt.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import { requeueAttempt } from '../../attempts/requeue-attempt.ts';
import { isFenced } from '../../db/require-change.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { visibleLine } from '../../attempts/prompt/untrusted-text.ts';
import { refuseClaim } from '../session/refuse-claim.ts';
import type { Replies, RunnerSession } from '../session/session.ts';
import { sessionIsCurrent } from '../session/session-is-current.ts';

/** A runner that is full for a moment is not asked again and again meanwhile. */
const DECLINED_PAUSE_MS = 1_000;

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
  const why = visibleLine(message.message ?? message.code);
  try {
    if (message.code === 'SPEC_INVALID') {
      const config = await deps.config.load();
      const { statements } = endAttempt(deps.db, {
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
        onlyIf: sessionIsCurrent(session),
      });
      await deps.db.batch(statements);
      countRun(deps.metrics, 'failed');
    } else {
      const reason = `waiting for a runner (the last one declined: ${why})`;
      const draining = message.code === 'DRAINING';
      const notBefore = draining ? {} : { notBeforeMs: nowMs + DECLINED_PAUSE_MS };
      const onlyIf = sessionIsCurrent(session);
      await deps.db.batch([
        ...requeueAttempt(deps.db, {
          ...{ attempt, reason, code: 'runner_declined', lost: false, nowMs, onlyIf },
          ...notBefore,
        }),
        ...(draining ? [drainStatement(deps, session)] : []),
      ]);
    }
  } catch (error) {
    if (!isFenced(error)) throw error;
    return [await refuseClaim(deps, session, message)];
  }
  deps.events.notify(0);
  deps.wake();
  return [];
}

/** The runner takes nothing more, whether or not its own word for it has come. */
function drainStatement(deps: Pick<Deps, 'db'>, session: RunnerSession) {
  return deps.db
    .update(runners)
    .set({ draining: true })
    .where(eq(runners.runner_id, session.runnerId));
}
