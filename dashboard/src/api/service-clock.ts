/** `Date` tells whole seconds, rounded down. */
const DATE_GRAIN_MS = 1_000;

/**
 * As the service's answers tell. Every time that a page shows comes from the service, so an age is
 * counted on the service's clock too.
 */
let aheadMs = 0;

/** The present by the service's clock as far as it is known, in epoch milliseconds. */
export function serviceNowMs(): number {
  return Date.now() + aheadMs;
}

/** How far the service's clock is ahead of this browser's, for what is noted by the browser's. */
export function serviceAheadMs(): number {
  return aheadMs;
}

/**
 * Learns from an answer that was asked for at `sentMs` by this browser's clock and has just come. Only
 * what cannot be explained by the way and by whole seconds moves the clock: times do not jump about.
 */
export function learnServiceClock(answer: Pick<Response, 'headers'>, sentMs: number): void {
  const serverMs = Date.parse(answer.headers.get('Date') ?? '');
  const cameMs = Date.now();
  // A browser's clock that was set between the two says nothing.
  if (Number.isNaN(serverMs) || cameMs < sentMs) return;
  const least = serverMs - cameMs;
  const most = serverMs + DATE_GRAIN_MS - sentMs;
  aheadMs = Math.min(Math.max(aheadMs, least), most);
}
