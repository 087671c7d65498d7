import type { MiddlewareHandler } from 'hono';
import { AppError } from '../errors.ts';
import type { HttpEnv } from './bindings.ts';
import { isApiPath, isReadMethod, isRunnerPath } from './is-api-path.ts';

const JSON_TYPE = /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i;

/**
 * Answers 415 to a body that is not JSON, and to one without a type. A web page can send other
 * types without asking first, so this also keeps forms away from the API.
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

/** True unless the request says that there is no body; a stream shows it only when read. */
function mayHaveBody(request: Request): boolean {
  return request.body !== null && request.headers.get('content-length') !== '0';
}

/** Where there is a body, or where leaving it out would replace something by nothing. */
function needsBody({ method, headers }: Request): boolean {
  if (method === 'PUT' || method === 'PATCH') return true;
  const length = headers.get('content-length');
  return (length !== null && length !== '0') || headers.has('transfer-encoding');
}
