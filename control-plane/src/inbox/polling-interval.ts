import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import type { Database } from '../db/database.ts';
import { trackerFacts } from '../config/integrations/tracker-facts.ts';
import type { Clock } from '../ports/ports.ts';
import { decidePollingIntervalMs, type Feed } from './decide.ts';
import { type FeedRow, feedRows } from './queries.ts';

/** A delivery that waits longer than this means that processing does not keep up. */
const OLD_BACKLOG_MS = 60_000;

/** Milliseconds until the tracker is to be polled again: longer while its deliveries arrive. */
export async function pollingIntervalMs(
  { db, clock }: { db: Database; clock: Clock },
  config: EffectiveConfig,
): Promise<number> {
  const rows = await feedRows(db);
  return intervalOfFeeds(rows, clock.nowMs(), config);
}

/** The same for pull requests: what the code host's deliveries tell of. */
export async function codehostIntervalMs(
  { db, clock }: { db: Database; clock: Clock },
  config: EffectiveConfig,
): Promise<number> {
  return intervalOf('codehost', await feedRows(db), clock.nowMs(), config);
}

/** As `pollingIntervalMs`, from rows that are at hand. */
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

/** A row as what is decided upon. */
export function feedOf(row: FeedRow, nowMs: number): Feed {
  const oldestMs = row.oldest_pending_at_ms;
  return {
    lastDeliveryAtMs: row.last_delivery_at_ms,
    isTroubled:
      (oldestMs !== null && nowMs - oldestMs > OLD_BACKLOG_MS) ||
      // Others that arrive do not make up for those that fail; a missing one is found again by them.
      row.subscription === 'failed' ||
      (row.subscription === 'missing' &&
        (row.checked_at_ms ?? 0) >= (row.last_delivery_at_ms ?? 0)),
  };
}
