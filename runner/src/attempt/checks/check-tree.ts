import { messageOf } from '@switchyard/shared/message-of';
import { cutText } from '@switchyard/shared/text/cut-text';
import { lastMessage } from '../../workspace/git/git.ts';
import { snapshotEnvironment } from '../../workspace/objects/snapshot.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import { keepOpenTree, openTreeOf } from './keep-result.ts';

const PROGRAM = readShellProgram(new URL('./check-tree.sh', import.meta.url));
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** The workspace cannot be compared; its content may be the cause. */
export class TreeUnreadable extends Error {
  override readonly name = 'TreeUnreadable';
}

/**
 * Names of files that differ between the workspace and a tree, before, during and after checks; see
 * check-tree.sh. Throws TreeUnreadable, and the container's errors.
 */
export async function checkTree(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  {
    tree,
    mode,
    signal,
  }: { tree: string; mode: 'begin' | 'look' | 'put-back'; signal: AbortSignal },
): Promise<string[]> {
  const { path } = workspace;
  const { name, email } = context.spec.commit;
  const result = await runInWorkspaceOf(
    context,
    workspace,
    signal,
  )({
    purpose: 'check-tree',
    argv: ['sh', '-c', PROGRAM, 'check-tree', path, tree, mode],
    env: snapshotEnvironment(path, { name, email }),
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
