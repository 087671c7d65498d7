import type { Deps } from '../../deps.ts';
import { checkSubscriptions } from '../../inbox/check-subscriptions.ts';
import { setTimer, type Timers } from './timers.ts';

/** Asks every `webhook.healthCheckIntervalMs` whether the providers still send. */
export async function checkSubscriptionsWhenDue(deps: Deps, timers: Timers): Promise<void> {
  const handlers = [...(deps.deliveryHandlers?.values() ?? [])];
  if (handlers.every((handler) => handler.checkSubscription === undefined)) return;
  const nowMs = deps.clock.nowMs();
  if (timers.of('webhook_check').dueAtMs > nowMs) return;
  const { webhook } = await deps.config.load();
  await deps.db.batch([
    setTimer(deps.db, 'webhook_check', nowMs + webhook.healthCheckIntervalMs),
    ...(await checkSubscriptions(deps)),
  ]);
}
