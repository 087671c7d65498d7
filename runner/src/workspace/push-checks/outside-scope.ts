import { setImmediate as whenOthersRan } from 'node:timers/promises';
import { MAX_PATHS_NAMED, type OutsideScope } from '@switchyard/shared/evidence/scope';
import { cutText } from '@switchyard/shared/text/cut-text';
import { shownPath } from '../git/shown-path.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { readGlob } from './read-glob.ts';
import { CHECK_TIMEOUT_MS, type PushRange } from './new-commits.ts';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_PATH_CHARS = 300;
/** Longest time without yielding, so that leases of other attempts are renewed. */
const MAX_BUSY_MS = 50;

/**
 * Files that differ between base and commit and match no glob, by name. A renamed one counts once,
 * and is outside with either name. Throws WorkspaceError, also for too many differences, and Error
 * when it takes too long.
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
      '--name-status',
      '--find-renames',
      '--end-of-options',
      baseCommit,
      commitSha,
      '--',
    ],
    timeoutMs: CHECK_TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  const changed = changesOf(stdout);
  const outside = await outsideOf(changed, scope, signal);
  const named = outside.toSorted().slice(0, MAX_PATHS_NAMED);
  const paths = named.map((path) => cutText(shownPath(path), MAX_PATH_CHARS, '…'));
  return { files: outside.length, paths };
}

/**
 * Matches changed files in steps: an agent may change any number, and each is compared with all
 * globs.
 */
async function outsideOf(
  changed: readonly string[][],
  scope: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const globs = scope.map(readGlob);
  const outside: string[] = [];
  const endMs = performance.now() + CHECK_TIMEOUT_MS;
  let busyUntilMs = performance.now() + MAX_BUSY_MS;
  for (const names of changed) {
    if (performance.now() > endMs)
      throw new Error(`${changed.length} files took longer than ${CHECK_TIMEOUT_MS / 1_000} s`);
    if (performance.now() > busyUntilMs) {
      await whenOthersRan(undefined, { signal });
      busyUntilMs = performance.now() + MAX_BUSY_MS;
    }
    const name = names.find((path) => !globs.some((means) => means(path)));
    if (name !== undefined) outside.push(name);
  }
  return outside;
}

/** The name of each changed file; for a renamed one the new and the old name. */
function changesOf(nameStatus: string): string[][] {
  const fields = nameStatus.split('\0');
  const changes: string[][] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const [status = '', path = '', newPath = ''] = fields.slice(at, at + 3);
    const isRenamed = status.startsWith('R');
    changes.push(isRenamed ? [newPath, path] : [path]);
    at += isRenamed ? 3 : 2;
  }
  return changes;
}
