import { TREE_LIMITS } from '../git/git-limits.ts';
import type { Workspaces } from '../open-workspaces.ts';
import type { PushRange } from '../push-checks/new-commits.ts';
import { type MirrorCommit, lfsPaths, usesLfs } from './lfs-paths.ts';
import { newFiles } from './new-files.ts';
import { MAX_POINTER_BYTES, type Pointer } from '../lfs-host/parse-pointer.ts';
import { readPointers } from './read-pointers.ts';

export type LfsFile = Pointer & { path: string };

const TIMEOUT_MS = 120_000;
/** Bytes of a listed line besides its path. */
const LINE_BYTES = 100;
const MAX_LIST_BYTES = TREE_LIMITS.MAX_TREE_ENTRIES * (LINE_BYTES + 156);
const ENTRY = /^100\d+ blob ([0-9a-f]+) +(\d+)\t(.+)$/s;

/**
 * Files of a commit that are pointers in git, sorted by path; with `sparsePaths` only those of such
 * a checkout. Null when no `.gitattributes` of the commit names LFS. Throws WorkspaceError.
 */
export async function lfsFilesOf(
  workspaces: Workspaces,
  commit: MirrorCommit,
  sparsePaths?: readonly string[],
): Promise<LfsFile[] | null> {
  if (!(await usesLfs(workspaces, commit))) return null;
  const { mirrorPath, commitSha, signal } = commit;
  const { stdout } = await workspaces.git.run({
    gitDir: mirrorPath,
    args: ['ls-tree', '-r', '-z', '--long', '--full-tree', commitSha],
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_LIST_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  const ids = new Map<string, string>();
  for (const line of stdout.split('\0')) {
    const [, id = '', size, path = ''] = ENTRY.exec(line) ?? [];
    const isSmall = size !== undefined && Number(size) <= MAX_POINTER_BYTES;
    if (isSmall && isCheckedOut(path, sparsePaths)) ids.set(path, id);
  }
  const paths = await lfsPaths(workspaces, commit, [...ids.keys()]);
  const stored = await readPointers(workspaces, commit, [
    ...new Set([...paths].map((path) => ids.get(path) ?? '')),
  ]);
  return [...paths].toSorted().flatMap((path) => {
    const found = stored.get(ids.get(path) ?? '');
    return typeof found === 'object' ? [{ path, ...found }] : [];
  });
}

/**
 * Whether a cone of a sparse checkout contains the path: in its folders, or a file of the folders
 * above.
 */
function isCheckedOut(path: string, sparsePaths: readonly string[] | undefined): boolean {
  if (sparsePaths === undefined) return true;
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  return sparsePaths.some(
    (folder) => `${folder}/`.startsWith(parent) || path.startsWith(`${folder}/`),
  );
}

/** The Git LFS content of new commits. */
export type LfsWork = {
  /**
   * Files that the last commit's attributes assign to LFS but that have raw content in a commit,
   * unless they had it before: repositories may have files from before LFS.
   */
  rawPaths: string[];
  /** Pointers that are new at their path compared with the remote, whatever the attributes say. */
  pointers: LfsFile[];
  /** Commits of the remote on which the work is based. */
  bases: string[];
};

/** The LFS content of the work; null when its tip does not use LFS. Throws WorkspaceError. */
export async function lfsWorkOf(workspaces: Workspaces, range: PushRange): Promise<LfsWork | null> {
  if (!(await usesLfs(workspaces, range))) return null;
  const { files, bases } = await newFiles(workspaces, range);
  const stored = await readPointers(workspaces, range, [
    ...new Set(
      [...files.values()].flat().flatMap(({ blobId, formerIds }) => [blobId, ...formerIds]),
    ),
  ]);
  const paths = await lfsPaths(workspaces, range, [...files.keys()]);
  const isRaw = (id: string): boolean => (stored.get(id) ?? 'raw') === 'raw';
  const work: LfsWork = { rawPaths: [], pointers: [], bases };
  for (const [path, versions] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const isNewRaw = versions.some(
      ({ blobId, formerIds, isMoved }) =>
        isRaw(blobId) && !isMoved && !formerIds.some((id) => stored.get(id) === 'raw'),
    );
    if (paths.has(path) && isNewRaw) work.rawPaths.push(path);
    for (const { blobId } of versions) {
      const found = stored.get(blobId);
      if (typeof found === 'object') work.pointers.push({ path, ...found });
    }
  }
  return work;
}

const MAX_BASES = 5;

/** Files with new objects: a moved or restored pointer needs no upload. Throws WorkspaceError. */
export async function addedFiles(
  workspaces: Workspaces,
  at: Omit<MirrorCommit, 'commitSha'>,
  { pointers, bases }: Pick<LfsWork, 'pointers' | 'bases'>,
): Promise<LfsFile[]> {
  const added = new Map(pointers.map((file) => [file.oid, file]));
  for (const commitSha of added.size === 0 ? [] : bases.slice(0, MAX_BASES)) {
    const known = await lfsFilesOf(workspaces, { ...at, commitSha });
    for (const { oid } of known ?? []) added.delete(oid);
  }
  return [...added.values()];
}
