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

/** Folder with archives of engines that somebody fetched before, for a machine without a network. */
export function archivesFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['SWITCHYARD_ENGINE_ARCHIVES'];
  return named === undefined || named === '' ? undefined : resolve(named);
}
