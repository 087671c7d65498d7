import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WorkspaceError } from '../../workspace.ts';

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
  return pathToFileURL(whole.replace(/\/+$/, '')).href.replace(/(?<=[^/])\/\.git$/, '');
}
