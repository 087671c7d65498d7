import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { and, eq, like, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { upstreamPauses } from '../../db/schema/work/pauses.ts';

/** Shortest pause for a given reset time, also one that has already passed. */
const MIN_PAUSE_MS = 1_000;

/**
 * Statement that pauses dispatch on an upstream until its reset time, else with a backoff of
 * `baseMs · 2^n` up to `maxMs`. Further failures lengthen the pause and free the canary's place;
 * after a reset time that did not hold, the backoff is the minimum.
 */
export function pauseUpstream(
  db: Database,
  input: {
    upstream: string;
    /** Key of the issue whose attempt failed, as from `issueKey`. */
    issueKey: string;
    reason: string;
    reasonCode: ReasonCode;
    resetAtMs: number | null;
    baseMs: number;
    maxMs: number;
    nowMs: number;
  },
): Statement {
  const { nowMs } = input;
  const resetAtMs =
    input.resetAtMs === null ? null : Math.max(input.resetAtMs, nowMs + MIN_PAUSE_MS);
  const failures = sql`${upstreamPauses.failures} + 1`;
  // The exponent counts earlier failures of the pause and is capped to avoid an overflow.
  const backoff = sql`min(${input.baseMs} * (1 << min(${upstreamPauses.failures}, 20)), ${input.maxMs})`;
  return db
    .insert(upstreamPauses)
    .values({
      upstream: input.upstream,
      reason: input.reason,
      reason_code: input.reasonCode,
      failures: 1,
      due_at_ms: resetAtMs ?? nowMs + input.baseMs,
      canary_attempt_id: null,
      failed_issue: input.issueKey,
      since_ms: nowMs,
      noted_at_ms: nowMs,
    })
    .onConflictDoUpdate({
      target: upstreamPauses.upstream,
      set: {
        reason: input.reason,
        reason_code: input.reasonCode,
        failures,
        due_at_ms:
          resetAtMs === null
            ? // A failure without a reset time must not shorten a pause that has one.
              sql`max(${upstreamPauses.due_at_ms}, ${nowMs} + ${backoff})`
            : sql`case when ${upstreamPauses.due_at_ms} > ${nowMs} then ${resetAtMs}
                else max(${resetAtMs}, ${nowMs} + ${backoff}) end`,
        canary_attempt_id: null,
        failed_issue: input.issueKey,
        noted_at_ms: nowMs,
      },
    });
}

/**
 * Statement that lifts the pauses for which this attempt was the canary (the one attempt that tests
 * a paused upstream): the provider's once the model has answered, the code host's once the
 * repository is cloned, both once it is done.
 */
export function liftByCanary(
  db: Database,
  attemptId: string,
  proven: 'provider' | 'codehost' | 'all',
): Statement {
  const isCanaryOfAttempt = eq(upstreamPauses.canary_attempt_id, attemptId);
  const ofKind = like(upstreamPauses.upstream, `${proven}:%`);
  return db
    .delete(upstreamPauses)
    .where(proven === 'all' ? isCanaryOfAttempt : and(isCanaryOfAttempt, ofKind));
}

/** Statement that frees the canary's place of an attempt that ended without proving anything. */
export function freeCanary(db: Database, attemptId: string): Statement {
  return db
    .update(upstreamPauses)
    .set({ canary_attempt_id: null })
    .where(eq(upstreamPauses.canary_attempt_id, attemptId));
}

/**
 * Statement that makes an attempt the canary of a paused upstream; a no-op when another attempt is.
 */
export function claimCanary(
  db: Database,
  input: { upstream: string; attemptId: string; nowMs: number },
): Statement {
  return db
    .update(upstreamPauses)
    .set({ canary_attempt_id: input.attemptId })
    .where(
      and(
        eq(upstreamPauses.upstream, input.upstream),
        sql`${upstreamPauses.canary_attempt_id} is null`,
        sql`${upstreamPauses.due_at_ms} <= ${input.nowMs}`,
      ),
    );
}
