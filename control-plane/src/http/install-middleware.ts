import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Clock, ErrorTracker, Logger } from '../ports/ports.ts';
import { type AccessPolicy, authorize } from './access/authorize.ts';
import { refuseCrossSiteRequests } from './access/refuse-cross-site-requests.ts';
import type { HttpEnv } from './bindings.ts';
import { bodyLimit } from './limits/body-limit.ts';
import { contentType } from './content-type.ts';
import { errorHandler } from './error-handler.ts';
import { limitRunnerFailures } from './limits/limit-runner-failures.ts';
import { methodNotAllowed, notFound } from './not-found.ts';
import type { StreamLimits } from './limits/open-streams.ts';
import { type RateLimits, rateLimit } from './limits/rate-limit.ts';
import { requestId } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

export type HttpPolicy = AccessPolicy & {
  limits: () => Promise<RateLimits & StreamLimits>;
  /** Number of own proxies in front. */
  trustedHops?: number;
  /** Host names under which others reach the service, by the present configuration. */
  servedHosts?: () => readonly string[];
};

/**
 * Installs all middleware in the required order: every response has its id and headers, a foreign
 * page cannot use up rate limits, guessing tokens is limited, and no body is read for a refused
 * caller.
 */
export function installMiddleware(
  app: OpenAPIHono<HttpEnv>,
  ports: { clock: Clock; logger: Logger; errors?: ErrorTracker },
  policy: HttpPolicy,
): void {
  const { limits, trustedHops = 0 } = policy;
  const counted = { clock: ports.clock, limits, trustedHops };
  app.use(
    requestId(),
    securityHeaders(),
    refuseCrossSiteRequests(policy),
    rateLimit(counted),
    limitRunnerFailures(counted),
    authorize(policy),
    methodNotAllowed(app),
    bodyLimit({ trustedHops }),
    contentType(),
  );
  app.onError(errorHandler(ports.logger, ports.errors));
  app.notFound(notFound());
}
