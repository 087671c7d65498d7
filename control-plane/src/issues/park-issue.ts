import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, eq } from 'drizzle-orm';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import { issueFingerprint } from '../attempts/fingerprint.ts';
import type { Statement } from '../db/database.ts';
import { isFenced, requireChange } from '../db/require-change.ts';
import { type IssueRow, issues } from '../db/schema/work/issues.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { appendEvents } from '../observe/events/append.ts';
import { commentKey, enqueueEffect } from '../jobs/outbox/enqueue.ts';

/** Moves an issue without a live attempt to another status. 409 when it changed in between. */
export async function parkIssue(
  deps: Pick<Deps, 'db' | 'clock'>,
  input: {
    issue: IssueRow;
    status: IssueStatus;
    reason: string;
    code: ReasonCode;
    /** Forget earlier failures, as after a person's retry. */
    fresh?: boolean;
    parkedKind?: 'budget';
    extra?: Statement[];
  },
): Promise<void> {
  const { issue, status, reason, code } = input;
  const nowMs = deps.clock.nowMs();
  const subject = {
    tracker: issue.tracker,
    issueId: issue.id,
    attemptId: issue.current_attempt_id,
  };
  const counts =
    input.fresh === true
      ? {
          run_count: 0,
          failure_count: 0,
          budget_from_tokens: issue.tokens.total,
          budget_from_attempts: issue.attempt_count,
        }
      : {};
  try {
    await deps.db.batch([
      deps.db
        .update(issues)
        .set({
          ...counts,
          status,
          reason,
          reason_code: code,
          next_retry_at_ms: null,
          queued_since_ms: status === 'queued' ? nowMs : null,
          parked_kind: input.parkedKind ?? null,
          parked_fingerprint: issueFingerprint(issue),
          version: issue.version + 1,
        })
        .where(
          and(
            eq(issues.tracker, issue.tracker),
            eq(issues.id, issue.id),
            eq(issues.version, issue.version),
          ),
        ),
      requireChange(deps.db),
      ...(input.extra ?? []),
      ...appendEvents(deps.db, nowMs, [
        {
          type: `issue.${status === 'idle' ? 'updated' : status}`,
          atMs: nowMs,
          data: {
            identifier: issue.identifier,
            issueId: issue.id,
            status,
            reason,
            reasonCode: code,
          },
        },
      ]),
      enqueueEffect(deps.db, nowMs, {
        key: commentKey(subject),
        effect: { kind: 'tracker.comment' },
        subject,
        repeat: true,
      }),
    ]);
  } catch (error) {
    if (isFenced(error))
      throw new AppError('conflict', `issue ${issue.identifier} changed meanwhile; look again`);
    throw error;
  }
}
