import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Deps } from '../deps.ts';
import { isFenced, requireChange } from '../db/require-change.ts';
import type { Statement } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { cancelledEnding } from './decide.ts';
import { endAttempt } from './end-attempt.ts';

/** Time an agent has to end by itself after an interrupt. */
export const CANCEL_GRACE_MS = 10_000;

/**
 * Asks a live attempt to stop. A queued one without a runner ends at once; one at a runner keeps the
 * wish as a row, which every renewal repeats until the runner has confirmed the end.
 * Returns false when it ended in the meantime.
 */
export async function requestCancel(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'sockets'>,
  input: {
    attempt: AttemptRow;
    issue: IssueRow;
    reason: string;
    code: ReasonCode;
    kind: NonNullable<AttemptRow['cancel_kind']>;
    extra?: Statement[];
  },
): Promise<boolean> {
  const { attempt, issue } = input;
  const nowMs = deps.clock.nowMs();
  const extra = input.extra ?? [];
  try {
    if (attempt.status === 'queued' || attempt.released_at_ms !== null) {
      const config = await deps.config.load();
      const ended = endAttempt(deps.db, {
        attempt,
        issue,
        ending: cancelledEnding(input.reason, input.kind, input.code),
        policy: config.agent,
        nowMs,
        fence: true,
      });
      await deps.db.batch([...ended.statements, ...extra]);
      return true;
    }
    await deps.db.batch([
      deps.db
        .update(attempts)
        .set({
          cancel_reason: input.reason,
          reason_code: input.code,
          cancel_kind: input.kind,
          cancel_requested_at_ms: nowMs,
        })
        .where(
          and(
            eq(attempts.attempt_id, attempt.attempt_id),
            eq(attempts.epoch, attempt.epoch),
            inArray(attempts.status, ['running']),
            isNull(attempts.cancel_requested_at_ms),
          ),
        ),
      requireChange(deps.db),
      ...extra,
    ]);
  } catch (error) {
    if (isFenced(error)) return false;
    throw error;
  }
  if (attempt.runner_id !== null) {
    const { attempt_id: attemptId, epoch } = attempt;
    deps.sockets.send(attempt.runner_id, [
      { type: 'cancel', attemptId, epoch, reason: input.reason, graceMs: CANCEL_GRACE_MS },
    ]);
  }
  return true;
}
