/**
 * The provider's address for a request; `target` is path and query. The version in front of the path is
 * left out where the base address ends in one of its own: `https://host/v1` and `/v1/messages` give
 * `https://host/v1/messages`.
 */
export function upstreamUrl(baseUrl: string, target: string): URL {
  const [path, query] = splitOnce(target, '?');
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, '');
  const hasVersion = /\/v\d+[a-z0-9]*$/.test(base);
  url.pathname = base + (hasVersion ? path.replace(/^\/v1(beta)?(?=\/)/, '') : path);
  url.search = query === undefined ? url.search : `?${query}`;
  return url;
}

/** What stands before and behind the first `at`. */
export function splitOnce(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}
