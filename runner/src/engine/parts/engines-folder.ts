import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Folder of this host's engines, with a folder for each version. `SWITCHYARD_ENGINES` overrides
 * `~/.cache/switchyard/engines`.
 */
export function enginesFolder(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['SWITCHYARD_ENGINES'];
  if (named !== undefined && named !== '') return resolve(named);
  return join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'switchyard', 'engines');
}

/** Folder with engine archives that were downloaded before, for a machine without a network. */
export function archivesFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['SWITCHYARD_ENGINE_ARCHIVES'];
  return named === undefined || named === '' ? undefined : resolve(named);
}
