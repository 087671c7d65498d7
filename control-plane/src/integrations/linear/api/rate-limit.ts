/** Kinds of limits in Linear's headers. Source: its page on rate limiting. */
const KINDS = ['requests', 'complexity', 'endpoint-requests'];
/** Wait after a refusal without a time. */
const DEFAULT_WAIT_MS = 60_000;
const MIN_WAIT_MS = 1_000;
/** Limits are per hour, so a later time comes from a wrong clock. */
export const MAX_WAIT_MS = 3_600_000;

/**
 * Until when the limit is used up by the headers of a response, epoch milliseconds; null: some is
 * left.
 */
export function readRateLimit(
  headers: Headers,
  nowMs: number,
): { exhaustedUntilMs: number | null } {
  const spent = KINDS.filter((kind) => numberIn(headers, `x-ratelimit-${kind}-remaining`) === 0);
  const resets = spent.flatMap((kind) => numberIn(headers, `x-ratelimit-${kind}-reset`) ?? []);
  return { exhaustedUntilMs: resets.length === 0 ? null : within(Math.max(...resets), nowMs) };
}

/** The remaining share of the hourly limit, 0 to 1, of the scarcest kind; null when not given. */
export function readAllowance(headers: Headers): number | null {
  const shares = KINDS.flatMap((kind) => {
    const remaining = numberIn(headers, `x-ratelimit-${kind}-remaining`);
    const limit = numberIn(headers, `x-ratelimit-${kind}-limit`);
    return remaining === null || !limit ? [] : Math.min(1, remaining / limit);
  });
  return shares.length === 0 ? null : Math.min(...shares);
}

/** Time until which a refused client must wait, epoch milliseconds. */
export function retryAtOf(headers: Headers, nowMs: number): number {
  const afterSeconds = numberIn(headers, 'retry-after');
  if (afterSeconds !== null) return within(nowMs + afterSeconds * 1_000, nowMs);
  const { exhaustedUntilMs } = readRateLimit(headers, nowMs);
  return exhaustedUntilMs ?? nowMs + DEFAULT_WAIT_MS;
}

function within(atMs: number, nowMs: number): number {
  return Math.min(Math.max(atMs, nowMs + MIN_WAIT_MS), nowMs + MAX_WAIT_MS);
}

function numberIn(headers: Headers, name: string): number | null {
  const text = headers.get(name)?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
