import { GitHubError } from './github-error.ts';
import type { GitHubSettings } from './github-settings.ts';

/** GitHub has separate limits for REST and GraphQL; a secondary limit applies to both. */
export type LimitedResource = 'core' | 'graphql';
export type Limit = { of: LimitedResource | 'all'; untilMs: number };

const SECONDARY_LIMIT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 86_400_000;
const MAX_CREDENTIALS = 100;

/**
 * Until when a credential must send no requests, shared by the whole process: the connections for
 * issues and pull requests, the setup and the agents use the same limit.
 */
const holds = new Map<string, Map<Limit['of'], number>>();

/** Key of the account that GitHub counts: an App is one, whatever tokens it has. */
export function credentialOf({ apiBaseUrl, app }: GitHubSettings, authorization: string): string {
  return `${apiBaseUrl} ${app === undefined ? authorization : `app ${app.id}`}`;
}

/** Throws a GitHubError without a request while the credential must wait. */
export function mayAsk(
  credential: string,
  given: { resource: LimitedResource; what: string; nowMs: number },
): void {
  const held = holds.get(credential);
  const untilMs = Math.max(held?.get('all') ?? 0, held?.get(given.resource) ?? 0);
  if (untilMs <= given.nowMs) return;
  const message = `${given.what}: not asked, GitHub wants no requests before ${new Date(untilMs).toISOString()}`;
  throw new GitHubError('rate_limited', message, { retryAtMs: untilMs });
}

/** Blocks requests of a credential until the limit ends. */
export function hold(credential: string, { of, untilMs }: Limit): void {
  const held = holds.get(credential) ?? new Map<Limit['of'], number>();
  held.set(of, Math.max(held.get(of) ?? 0, untilMs));
  holds.delete(credential);
  holds.set(credential, held);
  const [oldest] = holds.keys();
  if (holds.size > MAX_CREDENTIALS && oldest !== undefined) holds.delete(oldest);
}

/** The limit of a refused request; without a time it lasts for a minute. */
export function limitOfRefusal(headers: Headers, resource: LimitedResource, nowMs: number): Limit {
  const header = headers.get('Retry-After');
  const seconds = header === null ? Number.NaN : Number(header);
  if (Number.isFinite(seconds) && seconds >= 0) {
    return { of: 'all', untilMs: nowMs + Math.min(seconds * 1_000, MAX_WAIT_MS) };
  }
  return (
    spentUntil(headers, resource, nowMs) ?? {
      of: 'all',
      untilMs: nowMs + SECONDARY_LIMIT_WAIT_MS,
    }
  );
}

/**
 * When the rate limit resets, if this response used it up, epoch milliseconds; null: some is left.
 */
export function spentUntil(
  headers: Headers,
  resource: LimitedResource,
  nowMs: number,
): Limit | null {
  const resetS = Number(headers.get('X-RateLimit-Reset') ?? Number.NaN);
  if (headers.get('X-RateLimit-Remaining') !== '0' || !Number.isFinite(resetS)) return null;
  const untilMs = Math.min(Math.max(resetS * 1_000, nowMs), nowMs + MAX_WAIT_MS);
  return { of: resource, untilMs };
}
