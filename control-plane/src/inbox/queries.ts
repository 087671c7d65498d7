import { and, asc, count, desc, eq, inArray, lt, lte, sql } from 'drizzle-orm';
import { setFact } from '../db/set-fact.ts';
import type { Database, Statement } from '../db/database.ts';
import {
  type DeliveryProvider,
  type DeliveryRow,
  webhookDeliveries,
} from '../db/schema/operation/webhook-deliveries.ts';

/** Deliveries that are due, those first that are due longest. */
export async function dueDeliveries(
  db: Database,
  nowMs: number,
  limit: number,
): Promise<DeliveryRow[]> {
  const { status, next_try_at_ms: dueAtMs, delivery } = webhookDeliveries;
  return db
    .select()
    .from(webhookDeliveries)
    .where(and(eq(status, 'pending'), lte(dueAtMs, nowMs)))
    .orderBy(asc(dueAtMs), asc(delivery))
    .limit(limit);
}

/** One delivery with any status; null when there is none. */
export async function deliveryByNumber(db: Database, number: number): Promise<DeliveryRow | null> {
  const [row] = await db
    .select()
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.delivery, number));
  return row ?? null;
}

/** One delivery by its sender's id; null when there is none. */
export async function deliveryById(
  db: Database,
  provider: DeliveryProvider,
  deliveryId: string,
): Promise<DeliveryRow | null> {
  const [row] = await db
    .select()
    .from(webhookDeliveries)
    .where(
      and(eq(webhookDeliveries.provider, provider), eq(webhookDeliveries.delivery_id, deliveryId)),
    );
  return row ?? null;
}

/** A page of dead letters, newest first, with numbers below `before`, and the total number. */
export async function deadPage(
  db: Database,
  page: { limit: number; before: number | null; provider: DeliveryProvider | null },
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const { status, provider, delivery } = webhookDeliveries;
  const filter = and(
    // Literal text instead of a parameter, because the partial index requires this very condition.
    sql`${status} = 'dead'`,
    // The unary plus keeps SQLite from using the provider's index, which would require a sort.
    page.provider === null ? undefined : sql`+${provider} = ${page.provider}`,
  );
  const before = page.before === null ? undefined : lt(delivery, page.before);
  const [rows, counted] = await db.batch([
    db
      .select()
      .from(webhookDeliveries)
      .where(and(filter, before))
      .orderBy(desc(delivery))
      .limit(page.limit),
    db.select({ total: count() }).from(webhookDeliveries).where(filter),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
}

/** Ends several deliveries with one outcome; those already ended stay as they are. */
export function endDeliveries(
  db: Database,
  nowMs: number,
  numbers: readonly number[],
  outcome: string,
): Statement {
  return db
    .update(webhookDeliveries)
    .set({ status: 'processed', outcome, ended_at_ms: nowMs, last_error: null })
    .where(
      and(
        inArray(webhookDeliveries.delivery, [...numbers]),
        eq(webhookDeliveries.status, 'pending'),
      ),
    );
}

export type SubscriptionStatus = 'ok' | 'missing' | 'failed';
export type FeedRow = {
  provider: DeliveryProvider;
  backlog: number;
  dead: number;
  last_delivery_at_ms: number | null;
  oldest_pending_at_ms: number | null;
  subscription: SubscriptionStatus | null;
  checked_at_ms: number | null;
};

/** The state of webhooks, one row for each provider. */
export async function feedRows(db: Database): Promise<FeedRow[]> {
  return db.all<FeedRow>(sql`select p.column1 as provider,
    (select count(*) from webhook_deliveries
      where status = 'pending' and provider = p.column1) as backlog,
    (select count(*) from webhook_deliveries
      where status = 'dead' and provider = p.column1) as dead,
    (select max(received_at_ms) from webhook_deliveries
      where provider = p.column1) as last_delivery_at_ms,
    (select min(received_at_ms) from webhook_deliveries
      where status = 'pending' and provider = p.column1) as oldest_pending_at_ms,
    f.value ->> 'status' as subscription, f.updated_at_ms as checked_at_ms
    from (values ('tracker'), ('codehost'), ('trigger')) p
    left join facts f on f.name = 'webhook_subscription:' || p.column1`);
}

/** Stores the result of the last check of a webhook subscription. */
export function noteSubscription(
  db: Database,
  nowMs: number,
  provider: DeliveryProvider,
  status: SubscriptionStatus,
): Statement {
  return setFact(db, nowMs, `webhook_subscription:${provider}`, { status });
}
