/** Pages of the built-in code host; no other host has pull requests at such a path. */
const OWN_PATH = /^\/pull-requests\/pr_[A-Za-z0-9_-]+$/;

/**
 * A stored link as it leads there today: one to a page of this service, which may have had another
 * port or name then, gets its present origin. Links to elsewhere stay.
 */
export function ownLink(publicOrigin: string | null, link: string): string {
  const path = link.startsWith('/') ? link : pathOf(link);
  if (path === null || !OWN_PATH.test(path)) return link;
  return publicOrigin === null ? path : `${publicOrigin.replace(/\/+$/, '')}${path}`;
}

function pathOf(link: string): string | null {
  return URL.canParse(link) ? new URL(link).pathname : null;
}
