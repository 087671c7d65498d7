import { resolve } from 'node:path';
import { runProcess } from '../run-process.ts';
import { shownPath } from '../shown-path.ts';
import { WorkspaceError } from '../../workspace.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { assertOwnHooks, type OpenRepository } from './open-repository.ts';

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * A push runs the hooks and settings of a repository as this process's user. Throws
 * `repository_refused` where they are an agent's, or those of a user whom nobody trusts here.
 */
export async function assertPushTrusted(
  folders: AllowedFolders,
  repository: OpenRepository,
  at: { program: string; env: Readonly<Record<string, string>>; cwd: string },
): Promise<void> {
  const { path, descriptor, owner } = repository;
  const ask = async (question: 'hooks' | 'trusted'): Promise<string> => {
    const { exitCode, stdout } = await runProcess({
      ...{ file: at.program, args: [question], env: at.env, cwd: at.cwd, descriptor4: descriptor },
      ...{ timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_ANSWER_BYTES },
    });
    if (exitCode === 0) return stdout.toString('utf8').replace(/\n$/, '');
    throw new WorkspaceError(
      'repository_missing',
      `${shownPath(path)} is no repository that git can read: run "git config --list" in it`,
    );
  };
  if (owner === 'other' && !trusts(await ask('trusted'), path))
    throw new WorkspaceError(
      'repository_refused',
      `${shownPath(path)} belongs to another user, whose hooks a push would run as the user of this runner: change its owner, or run as that user: git config --global --add safe.directory ${shownPath(path)}`,
    );
  await assertOwnHooks(folders, resolve(path, await ask('hooks')));
}

/** As git reads `safe.directory`: an empty one forgets those before it. */
function trusts(listed: string, path: string): boolean {
  const values = listed.split('\n');
  return values
    .slice(values.lastIndexOf('') + 1)
    .some((value) => value === '*' || value === path || `${value}/.git` === path);
}
