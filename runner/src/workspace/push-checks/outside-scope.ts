import { MAX_PATHS_NAMED, type OutsideScope } from '@switchyard/shared/evidence/scope';
import { cutText } from '@switchyard/shared/text/cut-text';
import { shownPath } from '../git/shown-path.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { matchesGlob } from './matches-glob.ts';
import { CHECK_TIMEOUT_MS, type PushRange } from './new-commits.ts';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_PATH_CHARS = 300;

/**
 * Files that differ between base and commit and that no glob means, by name; of a renamed one both names
 * count. Throws WorkspaceError, also where more differ than are read.
 */
export async function outsideScope(
  workspaces: Workspaces,
  { mirrorPath, baseCommit, commitSha, signal }: PushRange,
  scope: readonly string[],
): Promise<OutsideScope> {
  const { stdout } = await workspaces.git.run({
    gitDir: mirrorPath,
    purpose: 'diff',
    args: [
      'diff-tree',
      '-r',
      '-z',
      '--name-only',
      '--no-renames',
      '--end-of-options',
      baseCommit,
      commitSha,
      '--',
    ],
    timeoutMs: CHECK_TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  const changed = stdout.split('\0').filter((path) => path !== '');
  const outside = changed.filter((path) => !scope.some((glob) => matchesGlob(path, glob)));
  const named = outside.slice(0, MAX_PATHS_NAMED);
  const paths = named.map((path) => cutText(shownPath(path), MAX_PATH_CHARS, '…'));
  return { files: outside.length, paths };
}
