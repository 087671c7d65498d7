import type { HeldItem, Verdict } from '@switchyard/shared/protocol/messages';
import { CANCEL_GRACE_MS } from '../../attempts/request-cancel.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { judgeClaim } from '../decide.ts';
import type { InventoryRows } from '../queries.ts';

/**
 * Limit on the characters of repeated messages in one answer, shared equally by the attempts but at
 * least one message each: an answer larger than a frame would never be readable.
 */
const MAX_REPEATED_CHARS = 100_000;

/**
 * Judges a runner's inventory against the rows: which attempts it may keep, with open orders
 * repeated.
 */
export function judgeInventory(
  [rows, allAnswers, undelivered]: InventoryRows,
  runnerId: string,
  held: readonly HeldItem[],
): Verdict[] {
  const maxChars = MAX_REPEATED_CHARS / Math.max(1, held.length);
  const byId = new Map(rows.map((row) => [row.attempt_id, row]));
  return held.map((item) => {
    const row = byId.get(item.attemptId) ?? null;
    const ref = { attemptId: item.attemptId, epoch: item.epoch };
    const verdict = judgeClaim(row === null ? null : leaseView(row), {
      epoch: item.epoch,
      runnerId,
    });
    if (verdict.kind === 'stop') return { ...ref, verdict: 'stop', code: verdict.code };
    if (verdict.kind === 'offered' || row === null) return { ...ref, verdict: 'offered' };
    const answers = allAnswers.filter((order) => order.attempt_id === row.attempt_id);
    const own = undelivered.filter((order) => order.attempt_id === row.attempt_id);
    const steers = oldestWithin(own, maxChars);
    return {
      ...ref,
      verdict: 'keep',
      ackedSeq: row.last_seq,
      ...(row.cancel_reason === null
        ? {}
        : { cancel: { reason: row.cancel_reason, graceMs: CANCEL_GRACE_MS } }),
      ...(answers.length === 0
        ? {}
        : {
            answers: answers.map((a) => ({
              requestId: a.engine_request_id,
              answers: a.answers ?? {},
            })),
          }),
      ...(steers.length === 0
        ? {}
        : { steers: steers.map((s) => ({ messageId: s.message_id, text: s.body })) }),
    };
  });
}

/**
 * The oldest messages up to the limit, at least one; the others follow once these are confirmed.
 */
function oldestWithin(messages: InventoryRows[2], maxChars: number): InventoryRows[2] {
  let chars = 0;
  return messages.filter(({ body }, at) => (chars += body.length) <= maxChars || at === 0);
}

/** The columns of an attempt by which a claim is judged. */
export function leaseView(row: AttemptRow) {
  return {
    status: row.status,
    epoch: row.epoch,
    runnerId: row.runner_id,
    released: row.released_at_ms !== null,
  };
}
