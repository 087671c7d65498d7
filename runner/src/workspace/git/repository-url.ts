import { fileURLToPath, pathToFileURL } from 'node:url';
import { WorkspaceError } from '../workspace.ts';

/** A repository address that git may be given. `path` only for file://. */
export type RepositoryUrl =
  | { kind: 'https' | 'ssh'; url: string }
  | { kind: 'file'; url: string; path: string };

const MAX_CHARACTERS = 2_048;

/**
 * Accepts https://, ssh:// and file:///absolute. Throws `repository_refused` for anything else:
 * leading `-`, control characters, other schemes, a password in the address.
 */
export function parseRepositoryUrl(text: string): RepositoryUrl {
  if (text.length === 0 || text.length > MAX_CHARACTERS) refuse('is empty or too long');
  if (text.startsWith('-')) refuse('starts with a dash');
  if (hasControlCharacter(text)) refuse('contains control characters or blanks');
  if (!URL.canParse(text)) refuse('is not https://, ssh:// or file:///absolute/path');
  const url = new URL(text);
  if (url.password !== '') refuse('contains a password; credentials belong in the secret store');
  if (url.protocol === 'file:') return parseFileUrl(text, url);
  if (url.protocol !== 'https:' && url.protocol !== 'ssh:') {
    refuse(`uses ${url.protocol}//; only https, ssh and file are allowed`);
  }
  const user = decodeURIComponent(url.username);
  if (url.hostname === '' || url.hostname.startsWith('-') || user.startsWith('-')) {
    refuse('names no usable host');
  }
  return { kind: url.protocol === 'ssh:' ? 'ssh' : 'https', url: url.href };
}

function parseFileUrl(text: string, url: URL): RepositoryUrl {
  if (!text.toLowerCase().startsWith('file:///') || url.host !== '') {
    refuse('must name an absolute path on the runner: file:///…');
  }
  if (url.search !== '' || url.hash !== '') refuse('has a query or fragment');
  const path = fileURLToPath(url);
  if (hasControlCharacter(path, true)) refuse('contains control characters');
  return { kind: 'file', url: pathToFileURL(path).href, path };
}

function hasControlCharacter(text: string, blankAllowed = false): boolean {
  return (blankAllowed ? /[\p{Cc}\p{Cf}]/u : /[\p{Cc}\p{Cf}\s]/u).test(text);
}

function refuse(why: string): never {
  throw new WorkspaceError('repository_refused', `the repository address ${why}`);
}
