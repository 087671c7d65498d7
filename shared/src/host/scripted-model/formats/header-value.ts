import type { IncomingHttpHeaders } from 'node:http';

/**
 * The value of a header, as Node reports it (repeated ones joined, or the first); null when it is
 * missing.
 */
export function headerValue(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

/** The key in `Authorization: Bearer …`; empty: there is none. */
export function bearerOf(headers: IncomingHttpHeaders): string {
  return /^Bearer (.+)$/.exec(headerValue(headers, 'authorization') ?? '')?.[1] ?? '';
}
