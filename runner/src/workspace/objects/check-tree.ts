import { lastMessage } from '../git/git.ts';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import type { CommitIdentity, RunInWorkspace } from '../workspace.ts';
import { snapshotEnvironment } from './snapshot.ts';

const PROGRAM = readShellProgram(new URL('./shell/check-tree.sh', import.meta.url));
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** The workspace cannot be compared; its content may be the cause. */
export class TreeUnreadable extends Error {
  override readonly name = 'TreeUnreadable';
}

export type CheckedTree = {
  workspace: { path: string };
  identity: CommitIdentity;
  /** What the files are compared with. */
  tree: string;
  /** `keep` is for `keepTree`: the first name is that of the tree. */
  mode: 'begin' | 'look' | 'put-back' | 'keep';
};

/**
 * Names of files that differ between the workspace and a tree, before, during and after something
 * that must not change them; see check-tree.sh. Throws TreeUnreadable, and the container's errors.
 */
export async function checkTree(
  runInWorkspace: RunInWorkspace,
  asked: CheckedTree,
): Promise<string[]> {
  const { workspace, identity, tree, mode } = asked;
  const { path } = workspace;
  const result = await runInWorkspace({
    purpose: 'check-tree',
    argv: ['sh', '-c', PROGRAM, 'check-tree', path, tree, mode],
    env: snapshotEnvironment(path, identity),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (result.timedOut) throw new TreeUnreadable(`it took longer than ${TIMEOUT_MS / 1_000} s`);
  if (result.exitCode !== 0) {
    throw new TreeUnreadable(lastMessage(result.stderr) || `exit code ${result.exitCode}`);
  }
  return result.stdout.split('\0').filter((file) => file !== '');
}

/**
 * Remembers the files as they are, for a later `put-back`, and answers their tree. Throws as
 * `checkTree` does.
 */
export async function keepTree(
  runInWorkspace: RunInWorkspace,
  { workspace, identity }: Pick<CheckedTree, 'workspace' | 'identity'>,
): Promise<string> {
  const asked = { workspace, identity, tree: '', mode: 'keep' } as const;
  const [tree = '', ...differing] = await checkTree(runInWorkspace, asked);
  if (differing.length > 0) throw new TreeUnreadable('git does not know all of its files');
  return tree;
}
