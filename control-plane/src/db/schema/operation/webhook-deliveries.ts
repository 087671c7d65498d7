import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

export type DeliveryProvider = 'tracker' | 'codehost' | 'trigger';
export type DeliveryStatus = 'pending' | 'processed' | 'dead';

/**
 * Incoming requests, stored before they are acknowledged: webhooks of the tracker and the code
 * host, and triggers of external systems. (provider, delivery_id) reveals a repetition.
 */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    /** Increases with every delivery: the order of arrival. */
    delivery: integer().primaryKey({ autoIncrement: true }),
    provider: text().$type<DeliveryProvider>().notNull(),
    delivery_id: text().notNull(),
    /** Kind of event by the provider's name. */
    event: text().notNull(),
    /** The body over which the signature was made. */
    body: text().notNull(),
    request_id: text(),
    status: text().$type<DeliveryStatus>().notNull().default('pending'),
    tries: integer().notNull().default(0),
    next_try_at_ms: integer().notNull(),
    /** The handler's result, such as `ignored`. */
    outcome: text(),
    last_error: text(),
    received_at_ms: integer().notNull(),
    ended_at_ms: integer(),
  },
  (table) => [
    uniqueIndex('webhook_deliveries_id').on(table.provider, table.delivery_id),
    index('webhook_deliveries_due').on(table.status, table.next_try_at_ms),
    index('webhook_deliveries_received').on(table.provider, table.received_at_ms),
    // Partial, so that a successful delivery costs no extra write; queries must repeat the
    // condition.
    index('webhook_deliveries_dead')
      .on(table.status, table.delivery)
      .where(sql`${table.status} = 'dead'`),
    index('webhook_deliveries_ended')
      .on(table.ended_at_ms)
      .where(sql`${table.status} <> 'pending'`),
  ],
);
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
