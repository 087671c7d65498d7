/** Tries after which a delivery is a dead letter. */
const MAX_TRIES = 5;
/** Before the second, third, … try: a short outage of the other side is waited out. */
const DELAYS_MS = [1_000, 10_000, 60_000, 300_000];

type AfterFailure =
  | { kind: 'retry'; tries: number; nextTryAtMs: number }
  | { kind: 'dead'; tries: number };

/** What becomes of a delivery that failed once more; `notBeforeMs` is the other side's own wish. */
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

/** What is known about the deliveries of the tracker that is polled. */
export type Feed = {
  lastDeliveryAtMs: number | null;
  /** An old backlog, or a subscription that is gone. */
  isTroubled: boolean;
};

type Intervals = {
  baseMs: number;
  stretchMs: number;
  /** Silence after which deliveries count as stopped. */
  quietMs: number;
};

/** Whether deliveries arrive, so that polling is only a safety net. */
export function isFeedHealthy(feed: Feed, nowMs: number, quietMs: number): boolean {
  const { lastDeliveryAtMs, isTroubled } = feed;
  if (isTroubled || lastDeliveryAtMs === null) return false;
  // One that is yet to come was dated by a clock that was ahead.
  return nowMs >= lastDeliveryAtMs && nowMs < lastDeliveryAtMs + quietMs;
}

/**
 * How long until the next poll: stretched while deliveries arrive, but never longer than one base
 * interval past the moment at which they count as stopped.
 */
export function decidePollingIntervalMs(feed: Feed, nowMs: number, given: Intervals): number {
  if (!isFeedHealthy(feed, nowMs, given.quietMs)) return given.baseMs;
  const quietAtMs = (feed.lastDeliveryAtMs ?? 0) + given.quietMs;
  return Math.max(given.baseMs, Math.min(given.stretchMs, quietAtMs - nowMs + given.baseMs));
}
