const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** The target of a link, or null when it would do something other than open a page. */
export function safeLink(href: string, origin: string): { href: string; own: boolean } | null {
  const url = URL.parse(href, origin);
  if (url === null || !SCHEMES.has(url.protocol)) return null;
  return { href: url.href, own: url.origin === origin };
}
