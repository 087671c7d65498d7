import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import { messageOf } from '@switchyard/shared/message-of';
import { shownPath } from '../../workspace/git/shown-path.ts';
import { checkOutObjects, hasLfs } from '../../workspace/lfs/check-out-objects.ts';
import { type Fetched, fetchObjects } from '../../workspace/lfs/fetch-objects.ts';
import { type LfsFile, lfsFilesOf } from '../../workspace/lfs/lfs-files.ts';
import { mirrorCommit } from '../../workspace/mirror/mirror.ts';
import { baseRef } from '../../workspace/prepare-workspace.ts';
import type { CommitIdentity, PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';

const SHOWN_PATHS = 5;

/**
 * Fetches the content of Git LFS files into a workspace. Returns sentences for people and the agent
 * about those that stay pointers.
 */
export async function prepareLfs(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  identity: CommitIdentity,
): Promise<string[]> {
  const { deps, control, spec, recorder } = context;
  const { mirrorPath, baseCommit, path } = workspace;
  const { signal } = control;
  try {
    const start = baseRef(workspaceKeyOf(spec));
    const commitSha = (await mirrorCommit(deps.workspaces, mirrorPath, start)) ?? baseCommit;
    const commit = { mirrorPath, commitSha, signal };
    const files = await lfsFilesOf(deps.workspaces, commit, spec.repository.sparsePaths);
    if (files === null) return [];
    if (!(await hasLfs(runInWorkspaceOf(context, workspace, signal), { path, identity })))
      return [nothingToAdd('the image of this attempt has no git-lfs', files)];
    const tooMuch = tooMuchFor(spec.sandbox.diskBytes, files);
    const { bytes: freeBytes } = await deps.disk.freeRoom(deps.settings.dataDir);
    const from = { mirrorPath, repositoryUrl: spec.repository.url, freeBytes, signal };
    const fetched = await fetchObjects(deps.workspaces, from, tooMuch === null ? files : []);
    control.check();
    if (fetched.count > 0) await recorder.log('git', `fetched ${fetched.count} objects of Git LFS`);
    // The LFS store exists now and is mounted for commands from here on.
    const run = runInWorkspaceOf(context, workspace, signal);
    const trouble = await checkOutObjects(run, { path, identity, files: tooMuch === null });
    if (trouble !== null)
      return [`git-lfs cannot be used in this workspace, so its files are pointers: ${trouble}`];
    const unsupported = deps.workspaces.lfs.unsupported(spec.repository.url);
    if (unsupported !== null) return [nothingToAdd(unsupported, files)];
    return tooMuch === null ? missingNotice(files, fetched) : [tooMuch];
  } catch (error) {
    control.check();
    return [`Whether this repository keeps files in Git LFS is not known: ${messageOf(error)}`];
  }
}

/**
 * Explains why LFS files cannot be added, also while there are none: the first one would be
 * refused.
 */
function nothingToAdd(why: string, files: readonly LfsFile[]): string {
  const left = files.length === 0 ? '' : `: ${pointers(files)}`;
  return (
    `This repository keeps files in Git LFS, and ${why}${left}. Edit no pointer and add no file that ` +
    '.gitattributes gives to LFS: neither raw content in the place of a pointer nor a new pointer is ' +
    'delivered. Pointers may be renamed, moved and deleted.'
  );
}

/**
 * Why the content does not fit: each file is stored twice in a workspace (as file and below
 * .git/lfs). Null when it fits.
 */
function tooMuchFor(diskBytes = Infinity, files: readonly LfsFile[]): string | null {
  const objects = [...new Map(files.map((file) => [file.oid, file])).values()];
  const bytes = [...files, ...objects].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes <= diskBytes / 2) return null;
  return (
    `This repository keeps files in Git LFS that take ${Math.ceil(bytes / 1024 / 1024)} MiB of a workspace, ` +
    'more than half of what an attempt may have (engine.sandbox.resources, diskBytes): ' +
    `${pointers(files)}. Do not edit these; they may be renamed, moved and deleted.`
  );
}

function missingNotice(files: readonly LfsFile[], { missing }: Fetched): string[] {
  const left = files.filter(({ oid }) => missing.has(oid));
  const why = [...new Set(left.map(({ oid }) => missing.get(oid)))].slice(0, 3).join('; ');
  if (left.length === 0) return [];
  return [
    `This repository keeps files in Git LFS, and not all could be fetched: ${pointers(left)}. ` +
      `The reason: ${why}. Do not edit these; they may be renamed, moved and deleted.`,
  ];
}

function pointers(files: readonly LfsFile[]): string {
  const names = files.slice(0, SHOWN_PATHS).map(({ path }) => shownPath(path));
  const more = files.length > SHOWN_PATHS ? ', …' : '';
  const count = files.length === 1 ? '1 file is a pointer' : `${files.length} files are pointers`;
  return `${count} without content (${names.join(', ')}${more})`;
}
