/** Characters that may follow this name in that of another repository. */
const NAME_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-';

/** The spellings of a repository's address, without `.git` at the end. */
function addressesOf(repositoryUrl: string): string[] {
  const own = bare(repositoryUrl);
  const { protocol, host, hostname, pathname } = new URL(own);
  if (protocol === 'file:') return [own];
  const path = pathname.replace(/^\/+/, '');
  const others = [`https://${host}/${path}`, `ssh://git@${hostname}/${path}`];
  return [...new Set([own, ...others, `git@${hostname}:${path}`])];
}

/** Whether a found address means the repository of a route. */
export function namesRepository(found: string, repositoryUrl: string): boolean {
  const wanted = bare(found.trim()).toLowerCase();
  return addressesOf(repositoryUrl).some((address) => address.toLowerCase() === wanted);
}

/**
 * Configuration by which git uses `path` for a repository, however its address is spelled. git uses
 * the longest matching prefix, so a repository whose name only begins alike is not affected.
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
