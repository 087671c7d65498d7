import { and, eq, inArray, sql } from 'drizzle-orm';
import { EMPTY_DIGEST } from '@switchyard/shared/protocol/event-digest';
import type { Database, Statement } from '../db/database.ts';
import { requireChange } from '../db/require-change.ts';
import { type AttemptRow, attempts } from '../db/schema/attempts.ts';
import { issues } from '../db/schema/issues.ts';
import { appendEvents } from '../events/append.ts';

/**
 * Statements that take an attempt from its runner and queue it under the next epoch, keeping its
 * number. `lost` counts against the runner-loss limit; a declined or expired offer does not.
 */
export function requeueAttempt(
  db: Database,
  input: { attempt: AttemptRow; reason: string; lost: boolean; nowMs: number },
): [Statement, ...Statement[]] {
  const { attempt, nowMs } = input;
  return [
    db
      .update(attempts)
      .set({
        status: 'queued',
        phase: null,
        runner_id: null,
        epoch: attempt.epoch + 1,
        offer_expires_at_ms: null,
        granted_at_ms: null,
        not_held_since_ms: null,
        attempt_token_hash: null,
        last_seq: 0,
        digest: EMPTY_DIGEST,
        turn_id: null,
        loss_count: attempt.loss_count + (input.lost ? 1 : 0),
      })
      .where(
        and(
          eq(attempts.attempt_id, attempt.attempt_id),
          eq(attempts.epoch, attempt.epoch),
          inArray(attempts.status, ['queued', 'running']),
        ),
      ),
    requireChange(db),
    db
      .update(issues)
      .set({ status: 'queued', reason: input.reason, version: sql`${issues.version} + 1` })
      .where(and(eq(issues.tracker, attempt.tracker), eq(issues.id, attempt.issue_id))),
    ...appendEvents(db, nowMs, [
      {
        type: 'issue.queued',
        atMs: nowMs,
        data: {
          identifier: attempt.identifier,
          issueId: attempt.issue_id,
          attemptId: attempt.attempt_id,
          status: 'queued',
          reason: input.reason,
        },
      },
    ]),
  ];
}
