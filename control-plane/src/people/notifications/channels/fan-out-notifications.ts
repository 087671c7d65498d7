import { asc, inArray, isNull, sql } from 'drizzle-orm';
import type { ConfigStore } from '../../../admin/config/config-store.ts';
import type { NotificationChannel } from '../../../admin/config/sections/notifications.ts';
import type { Database, Statement } from '../../../db/database.ts';
import {
  notificationChannels,
  type NotificationRow,
  notifications,
} from '../../../db/schema/people/notifications.ts';
import { outbox } from '../../../db/schema/operation/outbox.ts';
import { NOTIFICATION_DELIVERY } from '../../../jobs/outbox/effect.ts';
import type { Clock } from '../../../ports.ts';
import { channelWants } from '../decide.ts';

const PER_BATCH = 100;
const MAX_BATCHES = 20;

type SpreadDeps = { db: Database; clock: Clock; config: ConfigStore };

/** Queues a delivery per channel for what was written since the last time. */
export async function fanOutNotifications(deps: SpreadDeps): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const fresh = await deps.db
      .select()
      .from(notifications)
      .where(isNull(notifications.spread_at_ms))
      .orderBy(asc(notifications.created_at_ms))
      .limit(PER_BATCH);
    if (fresh.length === 0) return;
    const { channels } = (await deps.config.load()).notifications;
    await spreadBatch(deps, fresh, channels);
    if (fresh.length < PER_BATCH) return;
  }
}

async function spreadBatch(
  { db, clock }: SpreadDeps,
  fresh: readonly NotificationRow[],
  channels: readonly NotificationChannel[],
): Promise<void> {
  const nowMs = clock.nowMs();
  const deliveries = fresh.flatMap((row) =>
    channels
      .filter((channel) => channelWants(channel, { type: row.type, onlyTo: row.channels }))
      .map((channel) => delivery(row, channel.name, nowMs)),
  );
  const names = new Set(deliveries.map((row) => row.payload.channel));
  const queued: Statement[] =
    deliveries.length === 0
      ? []
      : [
          db.insert(outbox).values(deliveries).onConflictDoNothing({ target: outbox.key }),
          db
            .insert(notificationChannels)
            .values([...names].map((name) => ({ name, due_at_ms: nowMs })))
            .onConflictDoUpdate({
              target: notificationChannels.name,
              // One that is being served, or that waits after a failure, keeps its time.
              set: { due_at_ms: sql`coalesce(${notificationChannels.due_at_ms}, ${nowMs})` },
            }),
        ];
  await db.batch([
    db
      .update(notifications)
      .set({ spread_at_ms: nowMs })
      .where(
        inArray(
          notifications.notification_id,
          fresh.map((row) => row.notification_id),
        ),
      ),
    ...queued,
  ]);
}

function delivery(row: NotificationRow, channel: string, nowMs: number) {
  return {
    key: `notify:${row.notification_id}:${channel}`,
    kind: NOTIFICATION_DELIVERY,
    payload: { notificationId: row.notification_id, channel },
    next_try_at_ms: nowMs,
    created_at_ms: row.created_at_ms,
  };
}
