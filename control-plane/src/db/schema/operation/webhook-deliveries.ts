import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

export type DeliveryProvider = 'tracker' | 'codehost' | 'trigger';
export type DeliveryStatus = 'pending' | 'processed' | 'dead';

/**
 * What others sent, stored before it is acknowledged: deliveries of the tracker and the code host,
 * and triggers of external systems. (provider, delivery_id) makes a repeat visible.
 */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    /** Rises with every delivery: the order in which they came. */
    delivery: integer().primaryKey({ autoIncrement: true }),
    provider: text().$type<DeliveryProvider>().notNull(),
    delivery_id: text().notNull(),
    /** Kind of event as the provider names it. */
    event: text().notNull(),
    /** The body as it was signed. */
    body: text().notNull(),
    request_id: text(),
    status: text().$type<DeliveryStatus>().notNull().default('pending'),
    tries: integer().notNull().default(0),
    next_try_at_ms: integer().notNull(),
    /** What the handler did, for example `ignored`. */
    outcome: text(),
    last_error: text(),
    received_at_ms: integer().notNull(),
    ended_at_ms: integer(),
  },
  (table) => [
    uniqueIndex('webhook_deliveries_id').on(table.provider, table.delivery_id),
    index('webhook_deliveries_due').on(table.status, table.next_try_at_ms),
    index('webhook_deliveries_received').on(table.provider, table.received_at_ms),
    // Partial, so that a delivery that goes well costs no more writes; their queries repeat the text.
    index('webhook_deliveries_dead')
      .on(table.status, table.delivery)
      .where(sql`${table.status} = 'dead'`),
    index('webhook_deliveries_ended')
      .on(table.ended_at_ms)
      .where(sql`${table.status} <> 'pending'`),
  ],
);
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
