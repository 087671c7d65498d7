import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import type { Database } from '../db/database.ts';
import { trackerFacts } from '../config/integrations/tracker-facts.ts';
import type { Clock } from '../ports/ports.ts';
import { decidePollingIntervalMs, type Feed } from './decide.ts';
import { type FeedRow, feedRows } from './queries.ts';

/** Age of a waiting delivery above which processing lags behind. */
const OLD_BACKLOG_MS = 60_000;

/** Milliseconds until the next poll of the tracker: longer while its webhooks arrive. */
export async function pollingIntervalMs(
  { db, clock }: { db: Database; clock: Clock },
  config: EffectiveConfig,
): Promise<number> {
  const rows = await feedRows(db);
  return intervalOfFeeds(rows, clock.nowMs(), config);
}

/**
 * Milliseconds until the next sync of pull requests: longer while the code host's webhooks arrive.
 */
export async function codehostIntervalMs(
  { db, clock }: { db: Database; clock: Clock },
  config: EffectiveConfig,
): Promise<number> {
  return intervalOf('codehost', await feedRows(db), clock.nowMs(), config);
}

/** As `pollingIntervalMs`, from rows that are already read. */
export function intervalOfFeeds(
  rows: readonly FeedRow[],
  nowMs: number,
  config: EffectiveConfig,
): number {
  const { deliveries } = trackerFacts(config.tracker.kind);
  return intervalOf(deliveries ?? 'tracker', rows, nowMs, config);
}

function intervalOf(
  provider: FeedRow['provider'],
  rows: readonly FeedRow[],
  nowMs: number,
  { polling, webhook }: EffectiveConfig,
): number {
  const row = rows.find((each) => each.provider === provider);
  if (row === undefined) return polling.intervalMs;
  return decidePollingIntervalMs(feedOf(row, nowMs), nowMs, {
    baseMs: polling.intervalMs,
    stretchMs: webhook.pollingStretchMs,
    quietMs: webhook.healthCheckIntervalMs,
  });
}

/** A webhook row in the form that decisions use. */
export function feedOf(row: FeedRow, nowMs: number): Feed {
  const oldestMs = row.oldest_pending_at_ms;
  return {
    lastDeliveryAtMs: row.last_delivery_at_ms,
    isTroubled:
      (oldestMs !== null && nowMs - oldestMs > OLD_BACKLOG_MS) ||
      // A failed subscription counts although other webhooks arrive; a missing one only until a
      // delivery arrives after the check.
      row.subscription === 'failed' ||
      (row.subscription === 'missing' &&
        (row.checked_at_ms ?? 0) >= (row.last_delivery_at_ms ?? 0)),
  };
}
