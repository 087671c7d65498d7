/** Kinds of limits that Linear tells of in headers. Source: its page on rate limiting. */
const KINDS = ['requests', 'complexity', 'endpoint-requests'];
/** Where a refusal does not say until when. */
const DEFAULT_WAIT_MS = 60_000;
const MIN_WAIT_MS = 1_000;
/** Limits are per hour: a later time is a mistake of somebody's clock. */
export const MAX_WAIT_MS = 3_600_000;

/** What the headers of an answer say: until when nothing is left, or null. */
export function readRateLimit(
  headers: Headers,
  nowMs: number,
): { exhaustedUntilMs: number | null } {
  const spent = KINDS.filter((kind) => numberIn(headers, `x-ratelimit-${kind}-remaining`) === 0);
  const resets = spent.flatMap((kind) => numberIn(headers, `x-ratelimit-${kind}-reset`) ?? []);
  return { exhaustedUntilMs: resets.length === 0 ? null : within(Math.max(...resets), nowMs) };
}

/** Share of the hour's allowance that is left, 0 to 1, of whatever is scarcest; null: not said. */
export function readAllowance(headers: Headers): number | null {
  const shares = KINDS.flatMap((kind) => {
    const remaining = numberIn(headers, `x-ratelimit-${kind}-remaining`);
    const limit = numberIn(headers, `x-ratelimit-${kind}-limit`);
    return remaining === null || !limit ? [] : Math.min(1, remaining / limit);
  });
  return shares.length === 0 ? null : Math.min(...shares);
}

/** Epoch milliseconds until which a refused client stays away. */
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
