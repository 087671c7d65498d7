import type { Deps } from '../deps.ts';
import { checkSubscriptions } from '../webhooks/check-subscriptions.ts';
import { setTimer, timerDueAtMs } from './timers.ts';

/** Asks every `webhook.healthCheckIntervalMs` whether the providers still send. */
export async function checkSubscriptionsWhenDue(deps: Deps): Promise<void> {
  const handlers = [...(deps.deliveryHandlers?.values() ?? [])];
  if (handlers.every((handler) => handler.checkSubscription === undefined)) return;
  const nowMs = deps.clock.nowMs();
  if ((await timerDueAtMs(deps.db, 'webhook_check')) > nowMs) return;
  const { webhook } = await deps.config.load();
  await deps.db.batch([
    setTimer(deps.db, 'webhook_check', nowMs + webhook.healthCheckIntervalMs),
    ...(await checkSubscriptions(deps)),
  ]);
}
