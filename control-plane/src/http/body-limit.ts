import type { MiddlewareHandler } from 'hono';
import { bodyLimit as limitBody } from 'hono/body-limit';
import { AppError } from '../errors.ts';
import type { HttpEnv } from './bindings.ts';
import { isRunnerPath } from './request-paths.ts';

export const MAX_BODY_BYTES = 1_048_576;

/** Refuses bodies over 1 MiB with 413, chunked ones too. Runner routes have their own limit. */
export function bodyLimit(): MiddlewareHandler<HttpEnv> {
  const limit = limitBody({
    maxSize: MAX_BODY_BYTES,
    onError: () => {
      throw new AppError('too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`);
    },
  });
  return async function bodyLimit(c, next) {
    return isRunnerPath(c.req.path) ? next() : limit(c, next);
  };
}
