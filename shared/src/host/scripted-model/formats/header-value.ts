import type { IncomingHttpHeaders } from 'node:http';

/** The value of a header that was sent exactly once; null: it is missing or repeated. */
export function headerValue(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

/** The key in `Authorization: Bearer …`; empty: there is none. */
export function bearerOf(headers: IncomingHttpHeaders): string {
  return /^Bearer (.+)$/.exec(headerValue(headers, 'authorization') ?? '')?.[1] ?? '';
}
