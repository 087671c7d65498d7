import { homedir } from 'node:os';
import { readShellProgram } from '../../../shell/read-shell-program.ts';
import { shellWord } from '../../../shell/shell-word.ts';
import type { OpenRepository } from './open-repository.ts';

/** Descriptor of the open folder in the remote side's program, which closes it. */
const FOLDER_DESCRIPTOR = 4;

/** The remote side of `file://`: the program that git runs for a repository of this host. */
export const SERVE_FOLDER = readShellProgram(new URL('./serve-folder.sh', import.meta.url));

/** The remote service that each git command requests. */
const SERVICES: Readonly<Record<string, 'upload-pack' | 'receive-pack'>> = {
  fetch: 'upload-pack',
  'ls-remote': 'upload-pack',
  push: 'receive-pack',
};

/** Arguments that make git serve a repository of this host by this product's program. */
export function servedArguments(
  program: string,
  [command = '', ...rest]: readonly string[],
): string[] {
  const service = SERVICES[command];
  if (service === undefined) throw new TypeError(`git ${command} asks no remote`);
  // A shell parses this word.
  return [command, `--${service}=${shellWord(program)} ${service}`, ...rest];
}

/** Whether a git command changes its repository and so runs hooks. */
export function runsHooks([command = '']: readonly string[]): boolean {
  return SERVICES[command] === 'receive-pack';
}

/** Environment of git and of the program that serves a repository. */
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
