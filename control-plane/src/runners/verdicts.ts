import type { HeldItem, Verdict } from '@switchyard/shared/protocol/messages';
import { CANCEL_GRACE_MS } from '../attempts/request-cancel.ts';
import type { Database } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/attempts.ts';
import { inArray } from 'drizzle-orm';
import { judgeClaim } from './decide.ts';
import { openOrders } from './queries.ts';

/** Judges a runner's inventory against the rows: what it may keep, with every open order repeated. */
export async function verdictsFor(
  db: Database,
  runnerId: string,
  held: readonly HeldItem[],
): Promise<Verdict[]> {
  if (held.length === 0) return [];
  const ids = [...new Set(held.map((item) => item.attemptId))];
  const rows = await db.select().from(attempts).where(inArray(attempts.attempt_id, ids));
  const byId = new Map(rows.map((row) => [row.attempt_id, row]));
  const orders = await openOrders(db, ids);
  return held.map((item) => {
    const row = byId.get(item.attemptId) ?? null;
    const ref = { attemptId: item.attemptId, epoch: item.epoch };
    const verdict = judgeClaim(row === null ? null : leaseView(row), {
      epoch: item.epoch,
      runnerId,
    });
    if (verdict.kind === 'stop') return { ...ref, verdict: 'stop', code: verdict.code };
    if (verdict.kind === 'offered' || row === null) return { ...ref, verdict: 'offered' };
    const answers = orders.answers.filter((order) => order.attempt_id === row.attempt_id);
    const steers = orders.steers.filter((order) => order.attempt_id === row.attempt_id);
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

/** The part of an attempt's row that a claim is judged by. */
export function leaseView(row: AttemptRow) {
  return {
    status: row.status,
    epoch: row.epoch,
    runnerId: row.runner_id,
    released: row.released_at_ms !== null,
  };
}
