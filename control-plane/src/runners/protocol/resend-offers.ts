import type { HeldItem } from '@switchyard/shared/protocol/messages';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { Replies } from '../session/runner-session.ts';

/** Sends open offers again to a runner that reconnects, since messages may be lost. */
export function resendOffers(
  ofRunner: readonly AttemptRow[],
  held: readonly HeldItem[],
  nowMs: number,
): Replies {
  return ofRunner
    .filter((row) => row.status === 'queued' && (row.offer_expires_at_ms ?? 0) > nowMs)
    .filter(
      (row) => !held.some((item) => item.attemptId === row.attempt_id && item.epoch === row.epoch),
    )
    .map((row) => ({
      type: 'offer',
      attemptId: row.attempt_id,
      epoch: row.epoch,
      expiresInMs: (row.offer_expires_at_ms ?? nowMs) - nowMs,
      spec: row.spec,
    }));
}
