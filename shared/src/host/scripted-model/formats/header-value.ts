import type { IncomingHttpHeaders } from 'node:http';

/** A header that was sent once; null: none, or several. */
export function headerValue(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

/** The key in `Authorization: Bearer …`; empty: none. */
export function bearerOf(headers: IncomingHttpHeaders): string {
  return /^Bearer (.+)$/.exec(headerValue(headers, 'authorization') ?? '')?.[1] ?? '';
}
