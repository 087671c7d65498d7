import { execFile } from 'node:child_process';
import { access, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inside } from './world.ts';

/** What an agent may leave in its workspace so that a careless host runs it. */
export const GIT_TRICKS: Record<string, string> = {
  'git hook': 'core.hooksPath is overruled, and git never runs in a workspace on the host',
  'core.fsmonitor': 'core.fsmonitor is overruled, and git never runs in a workspace on the host',
  'content filter, as LFS uses it': 'git never runs in a workspace on the host',
  'submodule URL':
    'only addresses that people merged are fetched, and git never runs in a workspace on the host',
  'LFS URL': "only the route's own host is asked, whatever .lfsconfig says",
  'rewritten remote URL': "pushes leave from the mirror, with a configuration of the runner's own",
  'branch of people, checked out': 'a push names its one branch, below the own prefix',
};

/** Where the LFS server of the tricks is asked, below a service of this host. */
export const LFS_PATH = '/lfs/objects/batch';
const POINTER = `version https://git-lfs.github.com/spec/v1\\noid sha256:${'0'.repeat(64)}\\nsize 5\\n`;

/** Where a trick that worked on the host leaves its proof; inside a container it leaves none. */
export function proofOf(folder: string, trick: string): string {
  return join(folder, 'proofs', trick.replaceAll(/[^a-z]/gi, '-'));
}

/** Shell commands that lay every trick in the present workspace. All they ever do is touch a file. */
export function layTricks(
  folder: string,
  at: { remoteUrl: string; evilRepository: string; lfsPort: number },
): string {
  const { remoteUrl, evilRepository, lfsPort } = at;
  const payload = (trick: string): string =>
    `test "$(hostname)" = switchyard || touch ${proofOf(folder, trick)}`;
  const script = (path: string, trick: string, rest = ''): string =>
    `printf '#!/bin/sh\\n%s\\n%s\\n' '${payload(trick)}' '${rest}' > ${path} && chmod +x ${path}`;
  return [
    'mkdir -p .evil/hooks sub',
    script('.evil/hooks/pre-commit', 'git hook'),
    script('.git/hooks/pre-commit', 'git hook'),
    script('.evil/monitor', 'core.fsmonitor'),
    script('.evil/filter', 'content filter, as LFS uses it', 'cat'),
    'git config core.hooksPath "$PWD/.evil/hooks"',
    'git config core.fsmonitor "$PWD/.evil/monitor"',
    'git config filter.evil.clean "$PWD/.evil/filter"',
    'git config filter.evil.smudge "$PWD/.evil/filter"',
    `printf '*.dat filter=evil\\n' > .gitattributes`,
    'echo data > big.dat',
    // Not in what is delivered: a pointer whose object nobody has would be refused by name.
    `mkdir -p .git/info && printf '*.bin filter=lfs\\n' > .git/info/attributes`,
    `printf '${POINTER}' > kept.bin`,
    `printf '[lfs]\\n\\turl = http://127.0.0.1:${lfsPort}/lfs\\n' > .lfsconfig`,
    'git checkout -q -B main',
    `git config url."file://${evilRepository}".pushInsteadOf "${remoteUrl}"`,
    `git config url."file://${evilRepository}".insteadOf "${remoteUrl}"`,
    `git config -f .gitmodules submodule.sub.path sub`,
    // The repository itself, at a commit that it has: what else work points to is not delivered.
    'git config -f .gitmodules submodule.sub.url ./',
    `git config submodule.sub.url "ext::touch ${proofOf(folder, 'submodule URL')}"`,
    'git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub"',
    'echo work > work.txt',
    'git status --short | head -n 20',
  ].join('; ');
}

/**
 * Does on a copy what a careless host would do: git as a developer has it, with an LFS client, in the
 * workspace.
 */
export async function carelessHost(
  folder: string,
  workspace: string,
  remoteUrl: string,
): Promise<void> {
  const copy = join(folder, 'careless');
  await cp(workspace, copy, { recursive: true, verbatimSymlinks: true });
  const git = (...args: string[]): Promise<unknown> =>
    promisify(execFile)('git', args, {
      cwd: copy,
      timeout: 60_000,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
      },
    }).catch(() => null);
  const own = ['-c', 'safe.directory=*', '-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];
  // The hooks of a copy: its configuration still names the place it was made for.
  for (const [key, value] of [
    ['core.hooksPath', '.evil/hooks'],
    ['core.fsmonitor', '.evil/monitor'],
    ['filter.evil.clean', '.evil/filter'],
    ['filter.evil.smudge', '.evil/filter'],
  ] as const) {
    await git('config', key, join(copy, value));
  }
  await git(...own, 'status');
  await git(...own, 'rm', '-q', '--cached', 'big.dat');
  await git(...own, 'add', '-A');
  await git(...own, 'commit', '-q', '--allow-empty', '-m', 'Careless');
  await git(...own, 'push', '-q', '--force', '--no-verify', remoteUrl, 'HEAD:refs/heads/taken');
  await git(...own, '-c', 'protocol.ext.allow=always', 'submodule', 'update', '--init');
  // Without a refspec git pushes what is checked out.
  await git(...own, 'push', '-q', '--force', '--no-verify', remoteUrl);
  await rm(join(copy, 'kept.bin'));
  const client = `filter.lfs.smudge=${process.execPath} ${inside('lfs-client.mjs')}`;
  await git(...own, '-c', client, '-c', 'filter.lfs.clean=cat', 'checkout', '--', 'kept.bin');
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
