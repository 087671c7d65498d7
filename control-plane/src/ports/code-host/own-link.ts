/** Path of pages of the built-in code host; no other host has such a path for pull requests. */
const OWN_PATH = /^\/pull-requests\/pr_[A-Za-z0-9_-]+$/;

/**
 * A stored link that works today: a page of this service, which may have had another address then,
 * gets the present origin. Other links stay.
 */
export function ownLink(publicOrigin: string | null, link: string): string {
  const path = link.startsWith('/') ? link : pathOf(link);
  if (path === null || !OWN_PATH.test(path)) return link;
  return publicOrigin === null ? path : `${publicOrigin.replace(/\/+$/, '')}${path}`;
}

function pathOf(link: string): string | null {
  return URL.canParse(link) ? new URL(link).pathname : null;
}
