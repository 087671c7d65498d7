import { TreeUnreadable, checkTree, keepTree } from '../../workspace/objects/check-tree.ts';
import { standAtCommit } from '../../workspace/objects/stand-at-commit.ts';
import type { PreparedWorkspace, RunInWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { AttemptFailed } from '../attempt-end.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';
import { notePutBack } from './put-back-read.ts';

/**
 * Makes sure that the workspace is at exactly the commit of a review, and moves it there if nothing
 * of the author's work gets lost. The next attempt puts back what it was, in any isolation: hooks of
 * a review can always write. Throws AttemptFailed `review_branch_moved` when the workspace stays
 * elsewhere.
 */
export async function standAtReviewed(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  commit: string,
): Promise<void> {
  const { spec, control } = context;
  const run = runInWorkspaceOf(context, workspace, control.signal);
  const at = { workspace, identity: spec.commit, commit };
  const isOfHook = workspace.toClone !== undefined;
  const files = isOfHook ? 'hook' : await filesOf(run, at);
  const { head, hindrance } = await standAtCommit(run, { ...at, files, act: 'look' });
  if (hindrance !== null) throw movedFailure(commit, head, hindrance);
  // The hook made all of it, and nobody works in it after this review.
  if (isOfHook) return;
  await notePutBack(context, workspace, files === 'same' ? commit : files);
  if (head === commit) return;
  const moved = await standAtCommit(run, { ...at, files, act: 'move' });
  if (moved.hindrance !== null) throw movedFailure(commit, head, moved.hindrance);
}

/** Remembers the files, and answers their tree, or that they are those of the commit. */
async function filesOf(
  run: RunInWorkspace,
  at: Omit<Parameters<typeof keepTree>[1], 'tree'> & { commit: string },
): Promise<string> {
  try {
    const differing = await checkTree(run, { ...at, tree: at.commit, mode: 'begin' });
    if (differing.length === 0) return 'same';
  } catch (error) {
    // As where the commit is not here.
    if (!(error instanceof TreeUnreadable)) throw error;
  }
  try {
    return await keepTree(run, at);
  } catch (error) {
    if (!(error instanceof TreeUnreadable)) throw error;
    return 'unknown';
  }
}

function movedFailure(commit: string, head: string | null, why: string): AttemptFailed {
  const found = head === null ? 'at no commit' : `at ${head.slice(0, 12)}`;
  return new AttemptFailed(
    'workspace_error',
    `commit ${commit.slice(0, 12)} cannot be reviewed here: the workspace is ${found}, ${why}`,
    { reasonCode: 'review_branch_moved' },
  );
}
