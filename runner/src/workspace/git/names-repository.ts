/** All that may stand after the name of another repository that begins like this one. */
const NAME_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-';

/** How people write the address of a repository, without `.git` at its end. */
function addressesOf(repositoryUrl: string): string[] {
  const own = bare(repositoryUrl);
  const { protocol, host, hostname, pathname } = new URL(own);
  if (protocol === 'file:') return [own];
  const path = pathname.replace(/^\/+/, '');
  const others = [`https://${host}/${path}`, `ssh://git@${hostname}/${path}`];
  return [...new Set([own, ...others, `git@${hostname}:${path}`])];
}

/** Whether an address that was found names the repository of a route. */
export function namesRepository(found: string, repositoryUrl: string): boolean {
  const wanted = bare(found.trim()).toLowerCase();
  return addressesOf(repositoryUrl).some((address) => address.toLowerCase() === wanted);
}

/**
 * Configuration by which git goes to `path` for a repository, however its address is written. Git
 * compares beginnings and takes the longest: a repository whose name only begins alike stays itself.
 */
export function insteadOfText(repositoryUrl: string, path: string): string {
  return addressesOf(repositoryUrl)
    .flatMap((address) => [address, `${address}.git`])
    .flatMap((address) => [
      section(path, address),
      ...Array.from(NAME_LETTERS, (letter) => section(address + letter, address + letter)),
    ])
    .join('');
}

function section(to: string, from: string): string {
  return `[url "${quoted(to)}"]\n\tinsteadOf = "${quoted(from)}"\n`;
}

function quoted(text: string): string {
  return text.replaceAll(/["\\]/g, String.raw`\$&`);
}

function bare(address: string): string {
  return address.replace(/\/+$/, '').replace(/\.git$/, '');
}
