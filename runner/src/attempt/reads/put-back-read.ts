import { basename } from 'node:path';
import { messageOf } from '@switchyard/shared/message-of';
import { cutText } from '@switchyard/shared/text/cut-text';
import { checkTree, keepTree } from '../../workspace/objects/check-tree.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import { readWorkspaceRecord, writeWorkspaceRecord } from '../../workspace/workspace-record.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';

const MAX_NOTICE_CHARS = 1_000;

/**
 * Remembers the workspace before an agent that has only to read, where no container keeps it from
 * writing. The next attempt puts it back, so that this holds however this one ends. Resolves with
 * notices.
 */
export async function rememberRead(
  context: AttemptContext,
  workspace: PreparedWorkspace,
): Promise<string[]> {
  const { spec, deps, control } = context;
  if (spec.readOnly !== true || deps.containers.isolation === 'docker') return [];
  // Remembered already, before its hooks.
  if (spec.review !== undefined) return [];
  try {
    const run = runInWorkspaceOf(context, workspace, control.signal);
    const tree = await keepTree(run, { workspace, identity: spec.commit });
    await notePutBack(context, workspace, tree);
    return [];
  } catch (error) {
    control.check();
    return [noticeOf('what is changed here by mistake cannot be put back later', error)];
  }
}

/** Puts the workspace back to what it was before an agent that had only to read. */
export async function putBackRead(
  context: AttemptContext,
  workspace: PreparedWorkspace,
): Promise<string[]> {
  const { spec, control } = context;
  const { putBackTo: tree } = workspace;
  if (tree === undefined) return [];
  const notices: string[] = [];
  try {
    const run = runInWorkspaceOf(context, workspace, control.signal);
    const asked = { workspace, identity: spec.commit, tree, mode: 'put-back' } as const;
    const left = await checkTree(run, asked);
    if (left.length > 0) throw new Error('files of it stay');
  } catch (error) {
    control.check();
    const what = 'an attempt that had only to read changed files, which could not be put back';
    notices.push(noticeOf(what, error));
  }
  // Also after a failure: what is written from here on may be work.
  await notePutBack(context, workspace, null);
  return notices;
}

/** Notes in the workspace's record to what the next attempt puts it back; null: to nothing. */
export async function notePutBack(
  { deps: { workspaces } }: AttemptContext,
  { path }: PreparedWorkspace,
  tree: string | null,
): Promise<void> {
  const { records } = workspaces.paths;
  const record = await readWorkspaceRecord(records, basename(path));
  if (record === null) throw new Error('the workspace has no record');
  const { putBackTo: _former, ...others } = record;
  await writeWorkspaceRecord(records, tree === null ? others : { ...others, putBackTo: tree });
}

function noticeOf(what: string, error: unknown): string {
  return cutText(`${what}: ${messageOf(error)}`, MAX_NOTICE_CHARS);
}
