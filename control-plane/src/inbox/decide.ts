/** Tries after which a webhook delivery is a dead letter. */
const MAX_TRIES = 5;
/** Delays before the second, third, … try, to outlast a short outage of the provider. */
const DELAYS_MS = [1_000, 10_000, 60_000, 300_000];

type AfterFailure =
  | { kind: 'retry'; tries: number; nextTryAtMs: number }
  | { kind: 'dead'; tries: number };

/**
 * What happens to a delivery after a failure; `notBeforeMs` is the earliest retry that the other
 * side accepts.
 */
export function decideAfterFailure(
  triesBefore: number,
  nowMs: number,
  notBeforeMs: number,
): AfterFailure {
  const tries = triesBefore + 1;
  if (tries >= MAX_TRIES) return { kind: 'dead', tries };
  const delayMs = DELAYS_MS[tries - 1] ?? DELAYS_MS.at(-1) ?? 0;
  return { kind: 'retry', tries, nextTryAtMs: Math.max(nowMs + delayMs, notBeforeMs) };
}

/** The state of the webhooks from the polled tracker. */
export type Feed = {
  lastDeliveryAtMs: number | null;
  /** Processing lags behind, or the subscription is gone. */
  isTroubled: boolean;
};

type Intervals = {
  baseMs: number;
  stretchMs: number;
  /** Time without a delivery after which webhooks count as stopped. */
  quietMs: number;
};

/** Whether webhooks arrive, so that polling is only a safety net. */
export function isFeedHealthy(feed: Feed, nowMs: number, quietMs: number): boolean {
  const { lastDeliveryAtMs, isTroubled } = feed;
  if (isTroubled || lastDeliveryAtMs === null) return false;
  // A delivery dated in the future was recorded under a wrong clock and does not count.
  return nowMs >= lastDeliveryAtMs && nowMs < lastDeliveryAtMs + quietMs;
}

/**
 * Time until the next poll, milliseconds: longer while webhooks arrive, but at most one base
 * interval past the moment at which they count as stopped.
 */
export function decidePollingIntervalMs(feed: Feed, nowMs: number, given: Intervals): number {
  if (!isFeedHealthy(feed, nowMs, given.quietMs)) return given.baseMs;
  const quietAtMs = (feed.lastDeliveryAtMs ?? 0) + given.quietMs;
  return Math.max(given.baseMs, Math.min(given.stretchMs, quietAtMs - nowMs + given.baseMs));
}
