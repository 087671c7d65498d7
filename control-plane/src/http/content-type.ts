import type { MiddlewareHandler } from 'hono';
import { AppError } from '../errors.ts';
import type { HttpEnv } from './bindings.ts';
import { isApiPath, isReadMethod, isRunnerPath } from './is-api-path.ts';

const JSON_TYPE = /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i;

/**
 * Answers 415 to a body that is not JSON or has no type. Web pages can send other types without a
 * preflight, so this also keeps foreign forms away from the API.
 */
export function contentType(): MiddlewareHandler<HttpEnv> {
  return async function contentType(c, next) {
    const { path, method } = c.req;
    if (!isApiPath(path) || isRunnerPath(path) || isReadMethod(method)) return next();
    const type = c.req.header('Content-Type');
    const isRefused =
      type === undefined ? needsBody(c.req.raw) : !JSON_TYPE.test(type) && mayHaveBody(c.req.raw);
    if (isRefused) {
      throw new AppError('unsupported_media_type', 'the body must be application/json');
    }
    await next();
  };
}

/** True unless the request declares that it has no body; a stream shows that only when read. */
function mayHaveBody(request: Request): boolean {
  return request.body !== null && request.headers.get('content-length') !== '0';
}

/**
 * Whether a type is required: there is a body, or a missing one would replace something by nothing.
 */
function needsBody({ method, headers }: Request): boolean {
  if (method === 'PUT' || method === 'PATCH') return true;
  const length = headers.get('content-length');
  return (length !== null && length !== '0') || headers.has('transfer-encoding');
}
