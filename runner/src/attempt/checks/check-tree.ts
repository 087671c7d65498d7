import { messageOf } from '@switchyard/shared/message-of';
import { cutText } from '@switchyard/shared/text/cut-text';
import { checkTree as checkTreeIn, type CheckedTree } from '../../workspace/objects/check-tree.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';
import { keepOpenTree, openTreeOf } from './keep-result.ts';

/** Names of files that differ between the workspace and a tree, before, during and after checks. */
export function checkTree(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  { signal, ...asked }: Pick<CheckedTree, 'tree' | 'mode'> & { signal: AbortSignal },
): Promise<string[]> {
  const run = runInWorkspaceOf(context, workspace, signal);
  return checkTreeIn(run, { ...asked, workspace, identity: context.spec.commit });
}

/**
 * Restores files that unfinished checks changed, before a snapshot: they were stopped or their
 * process was killed, and their changes are no work. Waits for checks that are being stopped. Never
 * rejects.
 */
export function putBackStopped(
  context: AttemptContext,
  workspace: PreparedWorkspace,
): Promise<void> {
  const { saved, deps, ref, control } = context;
  saved.tail = saved.tail.then(async () => {
    const tree = openTreeOf(context);
    if (tree === null || control.lostSignal.aborted) return;
    try {
      const asked = { tree, mode: 'put-back', signal: control.lostSignal } as const;
      const left = await checkTree(context, workspace, asked);
      if (left.length > 0) throw new Error('files of it stay');
      keepOpenTree(context, null);
    } catch (error) {
      deps.log.warn('what a check changed was not put back', { ...ref, error: messageOf(error) });
      const message = cutText(`what a check changed was not put back: ${messageOf(error)}`, 1_000);
      await context.recorder.event('notice', { level: 'warning', message });
    }
  });
  return saved.tail;
}
