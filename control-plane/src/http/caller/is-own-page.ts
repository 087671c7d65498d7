import type { RequestOrigin } from './names-this-host.ts';

/**
 * Whether the browser's headers, if present, say that the request comes from this service's own
 * page.
 */
export function isOwnPage(request: Pick<RequestOrigin, 'url' | 'headers'>): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return false;
  const origin = request.headers.get('origin');
  const own = new URL(request.url);
  if (origin === null || origin === own.origin) return true;
  // A TLS proxy in front sends this header. No page of another site can, since that needs
  // permission.
  return forwardedScheme(request.headers) === 'https' && origin === `https://${own.host}`;
}

/** The scheme that the browser used, by the proxy in front; null without one. */
export function forwardedScheme(headers: Headers): string | null {
  const [first = ''] = (headers.get('x-forwarded-proto') ?? '').split(',');
  return first.trim() === '' ? null : first.trim().toLowerCase();
}
