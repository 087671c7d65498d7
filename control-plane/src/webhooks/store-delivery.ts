import type { Database, Statement } from '../db/database.ts';
import { isFenced, requireChange } from '../db/require-change.ts';
import { type DeliveryProvider, webhookDeliveries } from '../db/schema/webhook-deliveries.ts';
import { appendEvents } from '../events/append.ts';
import type { Clock, EventSignal } from '../ports.ts';
import type { VerifiedDelivery } from './read-delivery.ts';

type StoreDeps = { db: Database; clock: Clock; events: EventSignal; wake: () => void };

/** A verified delivery on its way into the database. */
type NewDelivery = VerifiedDelivery & {
  provider: DeliveryProvider;
  requestId: string | null;
};

/**
 * Stores a delivery in one write, with its event and whatever else belongs to it, and has it
 * processed soon. False when one of this id is there already: nothing is stored then.
 */
export async function storeDelivery(
  { db, clock, events, wake }: StoreDeps,
  delivery: NewDelivery,
  more: readonly Statement[] = [],
): Promise<boolean> {
  const nowMs = clock.nowMs();
  const insert = db
    .insert(webhookDeliveries)
    .values(deliveryRow(delivery, nowMs))
    .onConflictDoNothing();
  const { provider, deliveryId, event } = delivery;
  const received = { type: 'webhook.received', atMs: nowMs, data: { provider, deliveryId, event } };
  try {
    await db.batch([insert, requireChange(db), ...more, ...appendEvents(db, nowMs, [received])]);
  } catch (error) {
    if (isFenced(error)) return false;
    throw error;
  }
  events.notify(0);
  wake();
  return true;
}

function deliveryRow(delivery: NewDelivery, nowMs: number): typeof webhookDeliveries.$inferInsert {
  return {
    provider: delivery.provider,
    delivery_id: delivery.deliveryId,
    event: delivery.event,
    body: delivery.body,
    request_id: delivery.requestId,
    next_try_at_ms: nowMs,
    received_at_ms: nowMs,
  };
}
