import { cutText } from '@switchyard/shared/text/cut-text';
import { shownPath } from '../../workspace/git/shown-path.ts';
import { LFS_LIMITS } from '../../workspace/lfs-host/lfs-limits.ts';
import { collectObjects } from '../../workspace/lfs/collect-objects.ts';
import { addedFiles, type LfsFile, lfsWorkOf } from '../../workspace/lfs/lfs-files.ts';
import { askForUpload } from '../../workspace/lfs/upload-objects.ts';
import type { PushProblem } from '../../workspace/push-checks/check-push.ts';
import type { PushRange } from '../../workspace/push-checks/new-commits.ts';
import { type PreparedWorkspace, WorkspaceError } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';
import { storedHas } from '../../workspace/lfs/store-object.ts';

const MAX_PROBLEMS = 20;
const MAX_PATH_CHARS = 500;

const RAW =
  'has raw content in place of an LFS pointer, though .gitattributes gives it to Git LFS: where ' +
  '`git lfs version` works, run `git lfs install --local` and add it again; else leave it as it was';

/**
 * Problems that prevent pushing to a repository with Git LFS. Added objects are copied from the
 * workspace, so that a push needs nothing else. Throws WorkspaceError.
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
  if (problems.length > 0) return problems.slice(0, MAX_PROBLEMS);
  const signal = range.signal ?? context.control.signal;
  const { mirrorPath } = range;
  const added = await addedFiles(deps.workspaces, { mirrorPath, signal }, work);
  if (added.length === 0) return [];
  const tooLarge = sizeProblem(added);
  if (tooLarge !== null) return [tooLarge];
  const run = runInWorkspaceOf(context, workspace, signal);
  const missing = await collectObjects(deps.workspaces, run, workspace, added);
  return [
    ...(await missingProblems(context, signal, { added, missing })),
    ...(await secretProblems(mirrorPath, { added, missing }, knownSecrets)),
  ].slice(0, MAX_PROBLEMS);
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

/**
 * Problems of objects that the host lacks too. If that cannot be checked, the delivery checks it
 * again.
 */
async function missingProblems(
  { deps, spec, ref, control }: AttemptContext,
  signal: AbortSignal,
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
  const wanted = await askForUpload(deps.workspaces, { repositoryUrl, signal }, files).catch(
    (error: unknown) => {
      control.check();
      if (!(error instanceof WorkspaceError)) throw error;
      deps.log.warn('the host was not asked for objects', { ...ref, error: error.message });
      return [];
    },
  );
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
