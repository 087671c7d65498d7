/** `Date` headers have whole seconds, rounded down. */
const DATE_GRAIN_MS = 1_000;

/**
 * Offset of the service's clock, learned from its responses. All times on a page come from the
 * service, so their age is computed with its clock too.
 */
let aheadMs = 0;

/** The current time of the service's clock as far as it is known, epoch milliseconds. */
export function serviceNowMs(): number {
  return Date.now() + aheadMs;
}

/**
 * How far the service's clock is ahead of this browser's, for times taken from the browser's clock.
 */
export function serviceAheadMs(): number {
  return aheadMs;
}

/**
 * Updates the offset from a response that was requested at `sentMs` of this browser's clock and has
 * just arrived. Only a difference beyond latency and rounding changes the offset, so that shown
 * times do not jump.
 */
export function learnServiceClock(answer: Pick<Response, 'headers'>, sentMs: number): void {
  const serverMs = Date.parse(answer.headers.get('Date') ?? '');
  const cameMs = Date.now();
  // A browser's clock that was set back meanwhile gives no usable time.
  if (Number.isNaN(serverMs) || cameMs < sentMs) return;
  const least = serverMs - cameMs;
  const most = serverMs + DATE_GRAIN_MS - sentMs;
  aheadMs = Math.min(Math.max(aheadMs, least), most);
}
