import { messageOf } from '../../connection/log.ts';
import { snapshotEnvironment } from '../../workspace/objects/snapshot.ts';
import { shownPath } from '../../workspace/git/shown-path.ts';
import { type LfsFile, lfsFilesOf } from '../../workspace/lfs/lfs-files.ts';
import type { CommitIdentity, PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';

const ASK_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const SHOWN_PATHS = 5;

/**
 * Looks whether files of a workspace are kept in Git LFS. Answers what people and the agent should know
 * about them, in plain sentences.
 */
export async function prepareLfs(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  identity: CommitIdentity,
): Promise<string[]> {
  const { deps, control, spec } = context;
  const { mirrorPath, baseCommit: commitSha } = workspace;
  const commit = { mirrorPath, commitSha, signal: control.signal };
  try {
    const files = await lfsFilesOf(deps.workspaces, commit, spec.repository.sparsePaths);
    if (files.length === 0 || (await hasLfs(context, workspace, identity))) return [];
    return [
      `This repository keeps files in Git LFS, and the image of this attempt has no git-lfs: ${pointers(files)}. ` +
        'Do not edit them and add no file that .gitattributes gives to LFS: raw content in the place of a ' +
        'pointer is not delivered. Pointers may be renamed, moved and deleted.',
    ];
  } catch (error) {
    control.check();
    return [`Whether this repository keeps files in Git LFS is not known: ${messageOf(error)}`];
  }
}

async function hasLfs(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  identity: CommitIdentity,
): Promise<boolean> {
  const run = runInWorkspaceOf(context, workspace, context.control.signal);
  const { exitCode } = await run({
    purpose: 'lfs',
    argv: ['git', 'lfs', 'version'],
    env: snapshotEnvironment(workspace.path, identity),
    timeoutMs: ASK_TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  return exitCode === 0;
}

function pointers(files: readonly LfsFile[]): string {
  const names = files.slice(0, SHOWN_PATHS).map(({ path }) => shownPath(path));
  const more = files.length > SHOWN_PATHS ? ', …' : '';
  const count = files.length === 1 ? '1 file is a pointer' : `${files.length} files are pointers`;
  return `${count} without content (${names.join(', ')}${more})`;
}
