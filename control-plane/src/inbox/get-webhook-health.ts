import type { WebhookHealth } from '@switchyard/shared/api/admin/webhook';
import { secretValue } from '../config/resolve-secret.ts';
import type { DeliveryProvider } from '../db/schema/operation/webhook-deliveries.ts';
import type { Deps } from '../deps.ts';
import { isFeedHealthy } from './decide.ts';
import { deliverySecret } from './receive/delivery-secret.ts';
import { feedOf, intervalOfFeeds } from './polling-interval.ts';
import { feedRows } from './queries.ts';
import { listRefusals } from './receive/refusals.ts';

type HealthDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'resolveSecret'>;

/** The state of webhooks for each provider, and its effect on polling. */
export async function getWebhookHealth(deps: HealthDeps): Promise<WebhookHealth> {
  const nowMs = deps.clock.nowMs();
  const config = await deps.config.load();
  const rows = await feedRows(deps.db);
  const quietMs = config.webhook.healthCheckIntervalMs;
  const providers = rows.map(async (row) => {
    const { last_delivery_at_ms: lastMs, checked_at_ms: checkedMs } = row;
    return {
      provider: row.provider,
      configured: await isConfigured(deps, row.provider),
      healthy: isFeedHealthy(feedOf(row, nowMs), nowMs, quietMs),
      lastDeliveryAt: lastMs === null ? null : new Date(lastMs).toISOString(),
      lastDeliveryAgeSeconds: lastMs === null ? null : Math.max(0, nowMs - lastMs) / 1_000,
      backlog: row.backlog,
      dead: row.dead,
      subscription: row.subscription,
      subscriptionCheckedAt: checkedMs === null ? null : new Date(checkedMs).toISOString(),
    };
  });
  const intervalMs = intervalOfFeeds(rows, nowMs, config);
  const polling = { intervalMs, stretched: intervalMs > config.polling.intervalMs };
  const refusals = await listRefusals(deps.db, nowMs);
  return { providers: await Promise.all(providers), refusals, polling };
}

async function isConfigured(deps: HealthDeps, provider: DeliveryProvider): Promise<boolean> {
  if (provider !== 'trigger') return (await deliverySecret(deps, provider)) !== null;
  const { triggers } = await deps.config.load();
  return (await secretValue(triggers.apiKey, deps.resolveSecret)) !== null;
}
