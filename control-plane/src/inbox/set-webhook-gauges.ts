import type { Deps } from '../deps.ts';
import { feedRows } from './queries.ts';

/** Updates the gauges about webhooks before a scrape. */
export async function setWebhookGauges({
  db,
  clock,
  metrics,
}: Pick<Deps, 'db' | 'clock' | 'metrics'>): Promise<void> {
  const rows = await feedRows(db);
  const nowMs = clock.nowMs();
  const dead = rows.reduce((sum, row) => sum + row.dead, 0);
  metrics.set('service_webhook_dlq_count', {}, dead);
  for (const { provider, backlog, last_delivery_at_ms: lastMs } of rows) {
    if (provider === 'trigger') continue;
    metrics.set('service_webhook_backlog_count', { provider }, backlog);
    if (lastMs === null) continue;
    const seconds = Math.max(0, nowMs - lastMs) / 1_000;
    metrics.set('service_webhook_last_delivery_age_seconds', { provider }, seconds);
  }
}
