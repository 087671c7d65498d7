import { homedir } from 'node:os';
import { join } from 'node:path';
import { shownPath } from '../shown-path.ts';
import { WorkspaceError } from '../../workspace.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { askOwner, type OwnerProgram, type OwnerQuestion } from './ask-owner.ts';
import { assertOwnHooks, type OpenRepository } from './open-repository.ts';
import { pathFrom } from './runner-folder.ts';

/**
 * Throws `repository_refused` unless hooks and settings of a repository, which a push runs as this
 * process's user, belong to a trusted user and not to agents.
 */
export async function assertPushTrusted(
  folders: AllowedFolders,
  repository: OpenRepository,
  at: OwnerProgram,
): Promise<void> {
  const { path, owner } = repository;
  const ask = (question: OwnerQuestion) => askOwner(repository, at, question);
  if (owner === 'other' && !trusts(await ask('trusted'), path))
    throw new WorkspaceError(
      'repository_refused',
      `${shownPath(path)} belongs to another user, whose hooks a push would run as the user of this runner: change its owner, or run as that user: git config --global --add safe.directory ${shownPath(path)}`,
    );
  for (const file of originsOf(await ask('settings')))
    if (!ownSettings().includes(file)) await folders.assertNotAgents(pathFrom(path, file));
  await assertOwnHooks(folders, pathFrom(path, await ask('hooks')));
}

/**
 * Settings files of this process's user, whose home may be the data folder, where agents cannot
 * write at the top.
 */
function ownSettings(): string[] {
  const settings = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return [join(homedir(), '.gitconfig'), join(settings, 'git', 'config')];
}

/** The files of settings, which git lists before each setting. */
function originsOf(listed: string): Set<string> {
  const origins = listed.split('\0').filter((part) => part.startsWith('file:'));
  return new Set(origins.map((origin) => origin.slice('file:'.length)));
}

/** Whether `safe.directory` trusts a path; as in git an empty entry resets those before it. */
function trusts(listed: string, path: string): boolean {
  const values = listed.split('\n');
  return values
    .slice(values.lastIndexOf('') + 1)
    .some((value) => value === '*' || covers(value, path) || covers(value, worktreeOf(path)));
}

function covers(value: string, path: string): boolean {
  return value === path || (value.endsWith('/*') && path.startsWith(value.slice(0, -1)));
}

/** The folder that git looks up in `safe.directory` for a repository in its `.git`. */
function worktreeOf(path: string): string {
  return path.replace(/\/\.git$/, '');
}
