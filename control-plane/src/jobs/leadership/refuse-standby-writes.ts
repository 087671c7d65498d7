import type { MiddlewareHandler } from 'hono';
import { AppError } from '../../errors.ts';
import type { HttpEnv } from '../../http/bindings.ts';
import { isReadMethod } from '../../http/is-api-path.ts';
import { LEADER_RENEW_MS } from './create-leadership.ts';

/** Middleware that refuses writes on a standby instance; reads are served. */
export function refuseStandbyWrites(isStandby: () => boolean): MiddlewareHandler<HttpEnv> {
  return async function refuseStandbyWrites(c, next) {
    const joins = c.req.path === '/api/v1/runners/connect';
    if (isStandby() && (joins || !isReadMethod(c.req.method))) {
      throw new AppError('unavailable', 'this instance is a standby; another one leads', {
        reason: 'standby',
        headers: { 'Retry-After': String(Math.ceil(LEADER_RENEW_MS / 1_000)) },
      });
    }
    await next();
  };
}
