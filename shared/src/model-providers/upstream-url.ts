/**
 * URL of a request to a provider; `target` is path and query. A leading `/v1` or `/v1beta` of it is
 * dropped where the base address ends in a version of its own: `https://host/v1` and `/v1/messages`
 * give `https://host/v1/messages`.
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

/** The parts before and after the first `at`; the second is undefined where `at` does not occur. */
export function splitOnce(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}
