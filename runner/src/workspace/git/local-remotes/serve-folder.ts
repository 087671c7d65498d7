import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { OpenRepository } from './open-repository.ts';

/** Where the remote side finds the open folder among its descriptors. */
const FOLDER_DESCRIPTOR = 4;

/**
 * The remote side of `file://`, in an environment as its owner has it: neither git's variables nor
 * ours, the configuration of the user and of the repository, and so the owner's hooks. What only
 * reads runs no hook of the repository, and packs within the memory that git is given here.
 */
const SERVE_FOLDER = `#!/bin/sh
service=$1 folder=$SWITCHYARD_SERVED_FOLDER foreign=$SWITCHYARD_SERVED_FOREIGN
home=$SWITCHYARD_OWNER_HOME settings=$SWITCHYARD_OWNER_SETTINGS protocol=$GIT_PROTOCOL
for name in $(env | sed -n -e 's/^\\(GIT_[A-Za-z0-9_]*\\)=.*/\\1/p' -e 's/^\\(SWITCHYARD_[A-Z_]*\\)=.*/\\1/p'); do
  unset "$name"
done
unset LC_ALL SSH_ASKPASS XDG_CONFIG_HOME
export HOME="$home"
[ -z "$settings" ] || export XDG_CONFIG_HOME="$settings"
[ -z "$protocol" ] || export GIT_PROTOCOL="$protocol"
cd -P "$folder" || exit 128
exec ${FOLDER_DESCRIPTOR}<&-
set --
[ -z "$foreign" ] || set -- -c 'safe.directory=*'
case $service in
  upload-pack)
    exec git "$@" -c pack.threads=1 -c pack.windowMemory=256m -c pack.deltaCacheSize=64m \\
      -c core.bigFileThreshold=64m -c core.deltaBaseCacheLimit=96m upload-pack --strict . ;;
  receive-pack) exec git "$@" receive-pack . ;;
  trusted)
    for scope in system global; do git config "--$scope" --type=path --get-all safe.directory; done
    exit 0 ;;
  hooks) exec env GIT_DIR=. git "$@" rev-parse --git-path hooks ;;
  settings) exec env GIT_DIR=. git config --list --show-origin --name-only -z ;;
  unwritable)
    for part in objects refs; do
      at=$(env GIT_DIR=. git "$@" rev-parse --git-path "$part") || exit 128
      [ -w "$at" ] || { printf '%s' "$part"; exit 0; }
    done
    exit 0 ;;
  deny) env GIT_DIR=. git "$@" config --get receive.denyCurrentBranch; exit 0 ;;
  checkouts) exec env GIT_DIR=. git "$@" worktree list --porcelain ;;
esac
exit 128
`;

/** What git asks of the remote side, by its own command. */
const SERVICES: Readonly<Record<string, 'upload-pack' | 'receive-pack'>> = {
  fetch: 'upload-pack',
  'ls-remote': 'upload-pack',
  push: 'receive-pack',
};

/** Writes the program into a folder of the runner's own and answers its path. */
export async function writeServeFolder(homePath: string): Promise<string> {
  const path = join(homePath, 'serve-folder');
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, SERVE_FOLDER, { mode: 0o700 });
  await rename(draft, path);
  return path;
}

/** Arguments with which git has a repository of this host served by our program. */
export function servedArguments(
  program: string,
  [command = '', ...rest]: readonly string[],
): string[] {
  const service = SERVICES[command];
  if (service === undefined) throw new TypeError(`git ${command} asks no remote`);
  // A shell reads this.
  const quoted = `'${program.replaceAll("'", String.raw`'\''`)}'`;
  return [command, `--${service}=${quoted} ${service}`, ...rest];
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
