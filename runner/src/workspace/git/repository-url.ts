import { fileURLToPath, pathToFileURL } from 'node:url';
import { repositoryUrlProblem } from '@switchyard/shared/text/repository-url';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { WorkspaceError } from '../workspace.ts';

/** A valid repository address for git. `path` only for file://. */
export type RepositoryUrl =
  | { kind: 'https' | 'ssh'; url: string }
  | { kind: 'file'; url: string; path: string };

/**
 * Parses an address in which `repositoryUrlProblem` finds no problem. Throws `repository_refused`
 * for any other; the message never repeats the address.
 */
export function parseRepositoryUrl(text: string): RepositoryUrl {
  const problem = repositoryUrlProblem(text);
  if (problem !== null)
    throw new WorkspaceError('repository_refused', `the repository address ${problem}`);
  const url = new URL(text);
  if (url.protocol !== 'file:')
    return { kind: url.protocol === 'ssh:' ? 'ssh' : 'https', url: url.href };
  const path = fileURLToPath(url);
  return { kind: 'file', url: pathToFileURL(path).href, path };
}

/**
 * The address of a repository given by its path on this host; `~` is the home folder of the
 * runner's user. Whether it exists and is allowed is checked on use.
 */
export function addressOfPath(path: string): string {
  const whole = /^~(?:\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path;
  if (!isAbsolute(whole))
    throw new WorkspaceError(
      'repository_refused',
      'the path of a repository on the runner begins with / or ~/',
    );
  return pathToFileURL(whole.replace(/(?<=.)\/+$/, '')).href.replace(/(?<=[^/])\/\.git$/, '');
}
