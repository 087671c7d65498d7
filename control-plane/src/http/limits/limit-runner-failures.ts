import type { MiddlewareHandler } from 'hono';
import { AppError } from '../../errors.ts';
import type { HttpEnv } from '../bindings.ts';
import { clientAddress } from '../caller/client-address.ts';
import { countPerClient, secondsLeft } from './count-per-client.ts';
import { lastKnown, type RateLimitOptions } from './rate-limit.ts';
import { isRunnerPath } from '../is-api-path.ts';

/**
 * Counts 401 responses of runner routes for each client and minute. Over the limit they become a
 * 429 with `Retry-After`. A runner with a valid token behind the same address is unaffected,
 * because only refusals are counted and changed.
 */
export function limitRunnerFailures(options: RateLimitOptions): MiddlewareHandler<HttpEnv> {
  const failures = countPerClient();
  const limits = lastKnown(options.limits);
  return async function limitRunnerFailures(c, next) {
    await next();
    if (!isRunnerPath(c.req.path) || c.res.status !== 401) return;
    const nowMs = options.clock.nowMs();
    const window = failures(clientAddress(c, options.trustedHops ?? 0), nowMs);
    const { runnerFailuresPerMinute: limit } = await limits();
    if (window.count <= limit) return;
    throw new AppError(
      'rate_limited',
      `more than ${limit} refused runner requests in a minute from this address`,
      {
        reason: 'runner_failures',
        headers: { 'Retry-After': String(secondsLeft(window, nowMs)) },
      },
    );
  };
}
