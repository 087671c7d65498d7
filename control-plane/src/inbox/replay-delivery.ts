import { and, eq } from 'drizzle-orm';
import { commitChange } from '../observe/events/commit-change.ts';
import type { Caller } from '../http/caller/caller.ts';
import { type DeliveryRow, webhookDeliveries } from '../db/schema/operation/webhook-deliveries.ts';
import type { Deps } from '../deps.ts';
import { AppError } from '../errors.ts';
import { deliveryByNumber } from './queries.ts';

/**
 * Makes a dead letter pending again with no tries used; the inbox processes it soon after. Throws
 * `not_found` for an unknown number, `conflict` for a delivery that is no dead letter.
 */
export async function replayDelivery(
  deps: Pick<Deps, 'db' | 'clock' | 'wake'>,
  caller: Caller,
  number: number,
): Promise<DeliveryRow> {
  const { db } = deps;
  const row = await deliveryByNumber(db, number);
  if (row === null) throw new AppError('not_found', `delivery ${number} not found`);
  const nowMs = deps.clock.nowMs();
  const { provider, delivery_id: deliveryId, event } = row;
  const fresh = { status: 'pending' as const, tries: 0, next_try_at_ms: nowMs, ended_at_ms: null };
  const replayed = { provider, deliveryId, event, replayed: true };
  const committed = await commitChange(deps, {
    swap: db
      .update(webhookDeliveries)
      .set(fresh)
      .where(and(eq(webhookDeliveries.delivery, number), eq(webhookDeliveries.status, 'dead'))),
    audit: {
      caller,
      operation: 'webhook.replay',
      subject: String(number),
      details: { provider, deliveryId, event },
    },
    events: [{ type: 'webhook.received', data: replayed }],
    nowMs,
  });
  if (!committed)
    throw new AppError('conflict', `delivery ${number} is no dead letter`, { reason: 'not_dead' });
  deps.wake();
  return { ...row, ...fresh };
}
