import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WorkspaceError } from '../../workspace.ts';

/**
 * The address of a repository that a person named by its path on this host, `~` being the home folder
 * of this runner's user. Whether something is there, and may be used, shows when it is looked at.
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
