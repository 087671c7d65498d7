import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { ServeFlags } from './serve-flags.ts';

/** The flags of a runner beside a control plane, derived from the control plane's own. */
export function runnerFlags(
  flags: Omit<ServeFlags, 'host' | 'port'>,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return [
    '--stop-attempts-on-exit',
    '--sandbox',
    flags.sandbox,
    ...(flags.image === undefined ? [] : ['--image', flags.image]),
    ...(flags.baseImage === undefined ? [] : ['--base-image', flags.baseImage]),
    ...(flags.buildImage === true ? ['--build-image'] : []),
    ...(flags.engine === undefined ? [] : ['--engine', flags.engine]),
    ...(flags.acceptLicence === true ? ['--accept-licence'] : []),
    ...(flags.slots === undefined ? [] : ['--slots', flags.slots]),
    ...(flags.labels === undefined ? [] : ['--labels', flags.labels]),
    ...(flags.allowImage ?? []).flatMap((image) => ['--allow-image', image]),
    ...(flags.allowPrivateHost ?? []).flatMap((host) => ['--allow-private-host', host]),
    ...(flags.allowFolder ?? usualFolders(env)).flatMap((folder) => ['--allow-folder', folder]),
  ];
}

/**
 * Folders for repositories on a user's own machine: the home folder. The runner reads the variable.
 */
function usualFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  const home = homedir();
  const isFolder = statSync(home, { throwIfNoEntry: false })?.isDirectory() === true;
  const isNamed = (env['SWITCHYARD_ALLOW_FOLDERS'] ?? '') !== '';
  return isNamed || dirname(home) === home || !isFolder ? [] : [home];
}
