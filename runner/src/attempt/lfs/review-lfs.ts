import { cutText } from '@switchyard/shared/text/cut-text';
import { shownPath } from '../../workspace/git/shown-path.ts';
import { LFS_LIMITS } from '../../workspace/lfs-host/lfs-limits.ts';
import { collectObjects } from '../../workspace/lfs/collect-objects.ts';
import { type LfsFile, lfsWorkOf } from '../../workspace/lfs/lfs-files.ts';
import { storedHas } from '../../workspace/lfs/stored-has.ts';
import { askForUpload, knownObjects } from '../../workspace/lfs/upload-objects.ts';
import type { PushProblem } from '../../workspace/push-checks/check-push.ts';
import type { PushRange } from '../../workspace/push-checks/new-commits.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';

const MAX_PROBLEMS = 20;
const MAX_PATH_CHARS = 500;

const RAW =
  'has raw content in place of an LFS pointer, though .gitattributes gives it to Git LFS: where ' +
  '`git lfs version` works, run `git lfs install --local` and add it again; else leave it as it was';

/**
 * What keeps work from being pushed to a repository with Git LFS. The objects that it adds are taken over
 * from the workspace: from here on a push needs nothing else. Throws WorkspaceError.
 */
export async function reviewLfs(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  range: PushRange,
  knownSecrets: readonly string[],
): Promise<PushProblem[]> {
  const { deps } = context;
  const work = await lfsWorkOf(deps.workspaces, range);
  if (work === null) return [];
  const problems = work.rawPaths.map((path) => problem('lfs_raw_content', path, RAW));
  if (problems.length > 0 || work.pointers.length === 0) return problems.slice(0, MAX_PROBLEMS);
  const added = await addedFiles(context, range, work.pointers);
  const tooLarge = sizeProblem(added);
  if (tooLarge !== null) return [tooLarge];
  const signal = range.signal ?? context.control.signal;
  const run = runInWorkspaceOf(context, workspace, signal);
  const missing = await collectObjects(deps.workspaces, run, workspace, added);
  return [
    ...(await missingProblems(context, range, { added, missing })),
    ...(await secretProblems(range.mirrorPath, { added, missing }, knownSecrets)),
  ].slice(0, MAX_PROBLEMS);
}

/** Those whose objects are new: a pointer that was moved or put back needs nothing. */
async function addedFiles(
  { deps, control }: AttemptContext,
  { mirrorPath, baseCommit, signal = control.signal }: PushRange,
  pointers: readonly LfsFile[],
): Promise<LfsFile[]> {
  const known = await knownObjects(deps.workspaces, { mirrorPath, baseCommit, signal });
  return [...new Map(pointers.map((file) => [file.oid, file])).values()].filter(
    ({ oid }) => !known.has(oid),
  );
}

function sizeProblem(added: readonly LfsFile[]): PushProblem | null {
  const bytes = added.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const { MAX_PUSHED_BYTES: maxBytes, MAX_OBJECTS: maxObjects } = LFS_LIMITS;
  if (bytes <= maxBytes && added.length <= maxObjects) return null;
  const [size, limit] = [bytes, maxBytes].map((count) => `${Math.ceil(count / 1024 / 1024)} MiB`);
  const message = `the branch adds ${added.length} objects of ${size} to Git LFS, more than ${maxObjects} of ${limit}`;
  return { rule: 'too_large', path: null, line: null, message };
}

type Added = { added: readonly LfsFile[]; missing: ReadonlyMap<string, string> };

/** Only what the host does not have either; where it cannot be asked, whatever is new. */
async function missingProblems(
  { deps, spec, control }: AttemptContext,
  { mirrorPath, baseCommit, commitSha, signal = control.signal }: PushRange,
  { added, missing }: Added,
): Promise<PushProblem[]> {
  const { url: repositoryUrl } = spec.repository;
  const unsupported = deps.workspaces.lfs.unsupported(repositoryUrl);
  if (unsupported !== null)
    return added.map(({ path }) =>
      problem(
        'lfs_object_missing',
        path,
        `is new in Git LFS and cannot be uploaded: ${unsupported}`,
      ),
    );
  const files = added.filter(({ oid }) => missing.has(oid));
  if (files.length === 0) return [];
  const push = { mirrorPath, baseCommit, commitSha, repositoryUrl, signal };
  const wanted = await askForUpload(deps.workspaces, push, files);
  const names = new Set(wanted.map(({ pointer }) => pointer.oid));
  return files
    .filter(({ oid }) => names.has(oid))
    .map(({ oid, path }) =>
      problem(
        'lfs_object_missing',
        path,
        `is an LFS pointer whose object ${missing.get(oid) ?? ''} and not on the host: add the file again from its content`,
      ),
    );
}

async function secretProblems(
  mirrorPath: string,
  { added, missing }: Added,
  knownSecrets: readonly string[],
): Promise<PushProblem[]> {
  const problems: PushProblem[] = [];
  for (const file of added.filter(({ oid }) => !missing.has(oid))) {
    if (await storedHas(mirrorPath, file, knownSecrets))
      problems.push(
        problem('known_secret', file.path, 'contains a credential of this installation'),
      );
  }
  return problems;
}

function problem(rule: PushProblem['rule'], path: string, message: string): PushProblem {
  return { rule, path: shownPath(cutText(path, MAX_PATH_CHARS)), line: null, message };
}
