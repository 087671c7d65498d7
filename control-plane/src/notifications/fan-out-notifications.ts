import { asc, inArray, isNull } from 'drizzle-orm';
import type { ConfigStore } from '../config/config-store.ts';
import type { NotificationChannel } from '../config/sections/notifications.ts';
import type { Database } from '../db/database.ts';
import { type NotificationRow, notifications } from '../db/schema/people/notifications.ts';
import { NOTIFICATION_DELIVERY } from '../jobs/queue/effect.ts';
import { enqueueJobs } from '../jobs/queue/enqueue-effect.ts';
import type { Clock } from '../ports/ports.ts';
import { channelWants } from './decide.ts';

const PER_BATCH = 100;
const MAX_BATCHES = 20;

type SpreadDeps = { db: Database; clock: Clock; config: ConfigStore };

/** Queues a delivery to each channel for notifications that were written since the last call. */
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
    await fanOutBatch(deps, fresh, channels);
    if (fresh.length < PER_BATCH) return;
  }
}

async function fanOutBatch(
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
    ...(deliveries.length === 0 ? [] : [enqueueJobs(db, deliveries)]),
  ]);
}

function delivery(row: NotificationRow, channel: string, nowMs: number) {
  return {
    key: `notify:${row.notification_id}:${channel}`,
    kind: NOTIFICATION_DELIVERY,
    queue: `channel:${channel}`,
    payload: { notificationId: row.notification_id, channel },
    due_at_ms: nowMs,
    created_at_ms: row.created_at_ms,
  };
}
