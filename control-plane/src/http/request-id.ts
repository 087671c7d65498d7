import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './bindings.ts';

declare module 'hono' {
  interface ContextVariableMap {
    requestId: string;
  }
}

const HEADER = 'X-Request-ID';
/** 1 to 128 visible ASCII characters. */
const ACCEPTED = /^[\x21-\x7e]{1,128}$/;

/** Gives every request an id: the client's own if it is valid, else a new UUID. */
export function requestId(): MiddlewareHandler<HttpEnv> {
  return async function requestId(c, next) {
    const given = c.req.header(HEADER);
    const id = given !== undefined && ACCEPTED.test(given) ? given : crypto.randomUUID();
    c.set('requestId', id);
    c.header(HEADER, id);
    await next();
    // A handler's own Response may lack the header; an upgrade must not be rebuilt.
    if (c.res.status !== 101 && c.res.headers.get(HEADER) !== id) c.header(HEADER, id);
  };
}
