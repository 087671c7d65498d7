/** Owner and name of a repository as in the API. */
export type RepositoryName = { owner: string; name: string };

const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$/;
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/**
 * The repository of an address on this host; null for another host or an invalid name. Accepts
 * `https://host/owner/name(.git)` and `ssh://git@host/…`.
 */
export function repositoryName(repositoryUrl: string, webBaseUrl: string): RepositoryName | null {
  if (!URL.canParse(repositoryUrl)) return null;
  const url = new URL(repositoryUrl);
  const web = new URL(webBaseUrl);
  const overHttp = url.protocol === web.protocol && url.host === web.host;
  const overSsh = url.protocol === 'ssh:' && url.hostname === web.hostname;
  if (!overHttp && !overSsh) return null;
  const root = overHttp ? web.pathname.replace(/\/+$/, '') : '';
  if (!url.pathname.startsWith(`${root}/`)) return null;
  const [owner, last, ...more] = url.pathname
    .slice(root.length + 1)
    .replace(/\/$/, '')
    .split('/');
  const name = last?.replace(/\.git$/, '');
  if (owner === undefined || name === undefined || more.length > 0) return null;
  return OWNER.test(owner) && NAME.test(name) ? { owner, name } : null;
}

/** The API path of a repository. */
export function repositoryPath({ owner, name }: RepositoryName): string {
  return `/repos/${owner}/${name}`;
}
