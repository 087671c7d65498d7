import { commitChange } from '../../observe/events/commit-change.ts';
import { expectRowsAffected } from '../../db/commit-steps.ts';
import type { Database, Statement } from '../../db/database.ts';
import {
  type DeliveryProvider,
  webhookDeliveries,
} from '../../db/schema/operation/webhook-deliveries.ts';
import type { Clock } from '../../ports/ports.ts';
import type { VerifiedDelivery } from '../../integrations/webhook/verified-delivery.ts';

type StoreDeps = { db: Database; clock: Clock; wake: () => void };

/** A verified webhook to be stored. */
export type NewDelivery = VerifiedDelivery & {
  provider: DeliveryProvider;
  requestId: string | null;
};

/**
 * Stores a webhook, its event and `more` in one write and schedules its processing. Returns false
 * and stores nothing if a webhook with its id is already stored.
 */
export async function storeDelivery(
  deps: StoreDeps,
  delivery: NewDelivery,
  more: readonly Statement[] = [],
): Promise<boolean> {
  return insertAll(deps, [delivery], more);
}

/**
 * As `storeDelivery`, for several webhooks; one write if all are new. Returns for each whether it
 * is new; of two with the same id only the first is.
 */
export async function storeDeliveries(
  deps: StoreDeps,
  deliveries: readonly NewDelivery[],
): Promise<boolean[]> {
  const firsts = new Map<string, NewDelivery>();
  for (const delivery of deliveries) {
    const key = `${delivery.provider}\n${delivery.deliveryId}`;
    if (!firsts.has(key)) firsts.set(key, delivery);
  }
  const unique = [...firsts.values()];
  const stored = new Set<NewDelivery>();
  if (unique.length > 1 && (await insertAll(deps, unique))) {
    for (const delivery of unique) stored.add(delivery);
  } else {
    const areNew = await Promise.all(unique.map((delivery) => storeDelivery(deps, delivery)));
    for (const [index, delivery] of unique.entries()) if (areNew[index]) stored.add(delivery);
  }
  return deliveries.map((delivery) => stored.has(delivery));
}

/** Inserts all webhooks; false, with none stored, if one of them is already stored. */
async function insertAll(
  deps: StoreDeps,
  deliveries: readonly NewDelivery[],
  more: readonly Statement[] = [],
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const insert = deps.db
    .insert(webhookDeliveries)
    .values(deliveries.map((delivery) => deliveryRow(delivery, nowMs)))
    .onConflictDoNothing();
  const received = deliveries.map(({ provider, deliveryId, event }) => {
    return { type: 'webhook.received' as const, data: { provider, deliveryId, event } };
  });
  const committed = await commitChange(deps, {
    also: [expectRowsAffected(insert, deliveries.length), ...more],
    events: received,
    nowMs,
  });
  if (committed) deps.wake();
  return committed;
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
