import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Folder on this host in which engines are installed, one folder below it for each version.
 * `SWITCHYARD_ENGINES` names another one than `~/.cache/switchyard/engines`.
 */
export function enginesFolder(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['SWITCHYARD_ENGINES'];
  if (named !== undefined && named !== '') return resolve(named);
  return join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'switchyard', 'engines');
}
