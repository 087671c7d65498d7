import type { MiddlewareHandler } from 'hono';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../ports/ports.ts';
import type { HttpEnv } from '../bindings.ts';
import { clientAddress } from '../caller/client-address.ts';
import { countPerClient, secondsLeft } from './count-per-client.ts';
import { isApiPath, isRunnerPath, isWebhookPath } from '../is-api-path.ts';

/** The settings in `limits.*` about requests. */
export type RateLimits = {
  apiPerMinute: number;
  webhooksPerMinute: number;
  runnerFailuresPerMinute: number;
};

export type RateLimitOptions = {
  clock: Clock;
  /** The present limits. */
  limits: () => Promise<RateLimits>;
  /** Number of own proxies in front: `SERVICE_TRUST_PROXY`. */
  trustedHops?: number;
};

/**
 * Limits requests of each client per minute, beginning with its first request; webhooks under
 * /webhooks are counted apart from /api and /metrics. Runner routes and static files are not
 * counted. Over the limit: a 429 with `Retry-After` in seconds.
 */
export function rateLimit(options: RateLimitOptions): MiddlewareHandler<HttpEnv> {
  const counters = { api: countPerClient(), webhooks: countPerClient() };
  const limits = lastKnown(options.limits);
  return async function rateLimit(c, next) {
    const { path } = c.req;
    if (!isApiPath(path) || isRunnerPath(path)) return next();
    const { apiPerMinute, webhooksPerMinute } = await limits();
    const [counter, limit] = isWebhookPath(path)
      ? [counters.webhooks, webhooksPerMinute]
      : [counters.api, apiPerMinute];
    const nowMs = options.clock.nowMs();
    const window = counter(clientAddress(c, options.trustedHops ?? 0), nowMs);
    const { count } = window;
    const resetSeconds = secondsLeft(window, nowMs);
    const headers = {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(Math.max(0, limit - count)),
      'RateLimit-Reset': String(resetSeconds),
    };
    if (count > limit) {
      throw new AppError('rate_limited', `too many requests: more than ${limit} in a minute`, {
        headers: { ...headers, 'Retry-After': String(resetSeconds) },
      });
    }
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    await next();
  };
}

/** Keeps the last known limits while the configuration cannot be read. */
export function lastKnown<T>(read: () => Promise<T>): () => Promise<T> {
  let last: T | null = null;
  return async () => {
    try {
      last = await read();
    } catch (error) {
      if (last === null) throw error;
    }
    return last;
  };
}
