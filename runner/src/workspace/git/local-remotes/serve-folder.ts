import { homedir } from 'node:os';
import { readShellProgram } from '../../../shell/read-shell-program.ts';
import { shellWord } from '../../../shell/shell-word.ts';
import type { OpenRepository } from './open-repository.ts';

/** Where the remote side finds the open folder among its descriptors; the program closes it. */
const FOLDER_DESCRIPTOR = 4;

/** The remote side of `file://`: what git runs for a repository of this host. */
export const SERVE_FOLDER = readShellProgram(new URL('./serve-folder.sh', import.meta.url));

/** What git asks of the remote side, by its own command. */
const SERVICES: Readonly<Record<string, 'upload-pack' | 'receive-pack'>> = {
  fetch: 'upload-pack',
  'ls-remote': 'upload-pack',
  push: 'receive-pack',
};

/** Arguments with which git has a repository of this host served by our program. */
export function servedArguments(
  program: string,
  [command = '', ...rest]: readonly string[],
): string[] {
  const service = SERVICES[command];
  if (service === undefined) throw new TypeError(`git ${command} asks no remote`);
  // A shell reads this.
  return [command, `--${service}=${shellWord(program)} ${service}`, ...rest];
}

/** Whether a command of git changes the repository that it is given. */
export function runsHooks([command = '']: readonly string[]): boolean {
  return SERVICES[command] === 'receive-pack';
}

/** Environment of the git that has a repository served, and of the program that serves it. */
export function servedEnvironment({ path, owner }: OpenRepository): Record<string, string> {
  const settings = process.env['XDG_CONFIG_HOME'];
  const user = ['USER', 'LOGNAME', 'TZ'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(user),
    GIT_ALLOW_PROTOCOL: 'file',
    SWITCHYARD_SERVED_FOLDER:
      process.platform === 'linux' ? `/proc/self/fd/${FOLDER_DESCRIPTOR}` : path,
    SWITCHYARD_SERVED_FOREIGN: owner === 'self' ? '' : 'yes',
    SWITCHYARD_OWNER_HOME: homedir(),
    SWITCHYARD_OWNER_SETTINGS: settings ?? '',
  };
}
