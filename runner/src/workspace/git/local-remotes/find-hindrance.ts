import type { GitHindrance } from '@switchyard/shared/api/git-hindrance';
import { cutText } from '@switchyard/shared/text/cut-text';
import { shellWord } from '../../../shell/shell-word.ts';
import { shownPath } from '../shown-path.ts';
import { WorkspaceError } from '../../workspace.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { askOwner, type OwnerProgram } from './ask-owner.ts';
import { assertPushTrusted } from './assert-push-trusted.ts';
import type { OpenRepository } from './open-repository.ts';

const MAX_CHARACTERS = 2_000;
/** Values of receive.denyCurrentBranch with which git moves a checked-out branch. */
const MOVES_CHECKED_OUT = /^(?:ignore|warn|false|no|off|0|updateInstead)$/i;

/**
 * Why work cannot be delivered to a readable repository of this host, found without changing
 * anything: pushes would be refused, or merges into `branch` because it is checked out there. Null:
 * nothing is known.
 */
export async function findHindrance(
  folders: AllowedFolders,
  repository: OpenRepository,
  at: OwnerProgram,
  branch: string,
): Promise<GitHindrance | null> {
  const noPush = await pushTrouble(folders, repository, at);
  if (noPush !== null) return noPush;
  const denied = !MOVES_CHECKED_OUT.test(await askOwner(repository, at, 'deny'));
  const folder = denied ? checkedOutIn(await askOwner(repository, at, 'checkouts'), branch) : null;
  if (folder === null) return null;
  const place = quoted(folder);
  const summary = `${shownPath(branch)} is checked out in ${shownPath(folder)}, and git refuses to move a branch that somebody has checked out: agents work and their pull requests open, but "Merge" fails.`;
  return hindranceOf('merge', summary, [
    {
      about: 'Let merges update that folder',
      command: `git -C ${place} config receive.denyCurrentBranch updateInstead`,
    },
    {
      about: 'or work with a bare copy instead',
      command: `git clone --bare ${place} ${quoted(`${folder}.git`)}`,
    },
  ]);
}

/**
 * One text for logs, errors and older control planes, and its parts for clients that can copy a
 * command.
 */
function hindranceOf(
  of: GitHindrance['of'],
  summary: string,
  commands: NonNullable<GitHindrance['commands']>,
): GitHindrance {
  const toDo = commands.map(({ about, command }) => `${about}: ${command}`).join(' – ');
  const message = cutText(`${summary} ${toDo}`, MAX_CHARACTERS);
  // A truncated command would do something else.
  const isWhole = commands.every(({ command }) => command.length <= MAX_CHARACTERS);
  return isWhole
    ? { of, message, summary: cutText(summary, MAX_CHARACTERS), commands }
    : { of, message };
}

async function pushTrouble(
  folders: AllowedFolders,
  repository: OpenRepository,
  at: OwnerProgram,
): Promise<GitHindrance | null> {
  const unwritable = await askOwner(repository, at, 'unwritable');
  if (unwritable !== '') {
    const path = shownPath(repository.path);
    // The reader may use another account.
    const user = process.getuid?.() ?? '"$(id -un)"';
    const summary = `the user of this runner may not write ${path}/${unwritable}, so no branch can be pushed:`;
    const about = 'run the runner as the owner, or give its user the folder';
    const command = `sudo chown -R ${user} ${quoted(repository.path)}`;
    return hindranceOf('push', summary, [{ about, command }]);
  }
  try {
    await assertPushTrusted(folders, repository, at);
    return null;
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return { of: 'push', message: cutText(error.message, MAX_CHARACTERS) };
  }
}

/**
 * The folder in which a branch is checked out, from `git worktree list --porcelain`; null: none.
 */
function checkedOutIn(listed: string, branch: string): string | null {
  for (const entry of listed.split('\n\n')) {
    const lines = entry.split('\n');
    if (lines.includes('bare') || !lines.includes(`branch refs/heads/${branch}`)) continue;
    const [, folder] = /^worktree (.+)$/.exec(lines[0] ?? '') ?? [];
    if (folder !== undefined) return folder;
  }
  return null;
}

/** A path quoted for a shell. */
function quoted(path: string): string {
  const shown = shownPath(path);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : shellWord(shown);
}
