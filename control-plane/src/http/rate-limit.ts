import type { MiddlewareHandler } from 'hono';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { HttpEnv } from './bindings.ts';
import { clientAddress } from './client-address.ts';
import { isApiPath, isRunnerPath, isWebhookPath } from './request-paths.ts';

const WINDOW_MS = 60_000;
/** Clients remembered at once; the one whose window began first is forgotten before the next. */
const MAX_CLIENTS = 10_000;

export type RateLimits = { apiPerMinute: number; webhooksPerMinute: number };

type Options = {
  clock: Clock;
  /** The limits as configured now. */
  limits: () => Promise<RateLimits>;
  /** Proxies of our own in front: `SERVICE_TRUST_PROXY`. */
  trustedHops?: number;
};

type Window = { startMs: number; count: number };

/**
 * Counts requests per client and minute, a client's minute beginning with its first request:
 * deliveries under /webhooks apart from /api and /metrics. Runner routes and static files are not
 * counted. Over the limit: 429 with `Retry-After`, seconds.
 */
export function rateLimit(options: Options): MiddlewareHandler<HttpEnv> {
  const counters = { api: createCounter(), webhooks: createCounter() };
  const limits = lastKnown(options.limits);
  return async function rateLimit(c, next) {
    const { path } = c.req;
    if (!isApiPath(path) || isRunnerPath(path)) return next();
    const { apiPerMinute, webhooksPerMinute } = await limits();
    const [counter, limit] = isWebhookPath(path)
      ? [counters.webhooks, webhooksPerMinute]
      : [counters.api, apiPerMinute];
    const nowMs = options.clock.nowMs();
    const { count, startMs } = counter(clientAddress(c, options.trustedHops ?? 0), nowMs);
    const resetSeconds = Math.max(1, Math.ceil((startMs + WINDOW_MS - nowMs) / 1_000));
    const headers = {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(Math.max(0, limit - count)),
      'RateLimit-Reset': String(resetSeconds),
    };
    if (count > limit) {
      throw new AppError('rate_limited', `more than ${limit} requests in a minute`, {
        headers: { ...headers, 'Retry-After': String(resetSeconds) },
      });
    }
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    await next();
  };
}

/** While the configuration cannot be read, the limits stay as they were last known. */
function lastKnown(read: () => Promise<RateLimits>): () => Promise<RateLimits> {
  let last: RateLimits | null = null;
  return async () => {
    try {
      last = await read();
    } catch (error) {
      if (last === null) throw error;
    }
    return last;
  };
}

/** Counts a client's requests in its present window. */
function createCounter(): (client: string, nowMs: number) => Window {
  const windows = new Map<string, Window>();
  return (client, nowMs) => {
    const present = windows.get(client);
    if (present !== undefined && nowMs - present.startMs < WINDOW_MS) {
      present.count += 1;
      return present;
    }
    windows.delete(client);
    // A map keeps the order of insertion, which here is the order in which windows began.
    const oldest = windows.keys().next();
    if (windows.size >= MAX_CLIENTS && !oldest.done) windows.delete(oldest.value);
    const made = { startMs: nowMs, count: 1 };
    windows.set(client, made);
    return made;
  };
}
