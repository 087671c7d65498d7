import { cutText } from '@switchyard/shared/text/cut-text';
import type { GitCommand } from '../git/git.ts';
import { TREE_LIMITS } from '../git/git-limits.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { type ParsedTree, parseTree } from './parse-tree.ts';
import { WorkspaceError } from '../workspace.ts';

/** Size of a tree when it is checked out. */
export type TreeSize = { entries: number; depth: number; pathBytes: number; bytes: number };
export type TreeLimits = { [Name in keyof typeof TREE_LIMITS]: number };

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const TREES_PER_CALL = 20_000;
/**
 * Limit factor of all roots together: each distinct folder counts once, so that many commits fit.
 */
const DISTINCT_PER_TREE = 4;
const ONLY_TREES = '--filter=object:type=tree';
const ID_LENGTH = 40;
const MAX_ACCEPTED = 20_000;

/**
 * Trees that were already counted, by id, which names content in any mirror. With `bytes` appended,
 * their files were weighed too.
 */
const accepted = new Set<string>();
/** Commits that are being counted: many issues may start from one at once. */
const counting = new Map<string, Promise<void>>();

/**
 * Refuses trees that are too large to compare or check out, without doing so: each distinct folder
 * is read once, and its size is the sum of its parts. Ten levels of ten equal folders are ten reads
 * and count as 10^10. Throws `limit_exceeded` with the number.
 */
export async function assertTreesFit(
  workspaces: Workspaces,
  input: {
    mirrorPath: string;
    /** Full object ids of commits or trees. */
    roots: readonly string[];
    /** Environment to find objects outside the mirror. */
    env?: Readonly<Record<string, string>>;
    /** Whether to add up the size of files. */
    withBytes?: boolean;
    limits?: TreeLimits;
  },
): Promise<void> {
  const { limits } = input;
  if (limits !== undefined) {
    await measure(workspaces, { ...input, limits });
    return;
  }
  const keyOf = (id: string): string => (input.withBytes === true ? `${id} bytes` : id);
  const roots = input.roots.filter((id) => !accepted.has(keyOf(id)));
  const [first = ''] = roots;
  if (first === '') return;
  const key = `${input.mirrorPath} ${keyOf(first)}`;
  const shared = roots.length === 1 && input.env === undefined ? counting.get(key) : undefined;
  if (shared !== undefined) return shared;
  const measured = measure(workspaces, { ...input, roots, limits: TREE_LIMITS }).then(() => {});
  if (roots.length === 1 && input.env === undefined) counting.set(key, measured);
  try {
    await measured;
  } finally {
    if (counting.get(key) === measured) counting.delete(key);
  }
  if (accepted.size > MAX_ACCEPTED) accepted.clear();
  for (const id of roots) accepted.add(keyOf(id));
}

/** As `assertTreesFit` for one commit within `maxBytes`; returns the size of its files. */
export function weighTree(
  workspaces: Workspaces,
  { mirrorPath, commit, maxBytes }: { mirrorPath: string; commit: string; maxBytes: number },
): Promise<number> {
  const limits = { ...TREE_LIMITS, MAX_CHECKOUT_BYTES: maxBytes };
  return measure(workspaces, { mirrorPath, roots: [commit], withBytes: true, limits });
}

async function measure(
  workspaces: Workspaces,
  input: Parameters<typeof assertTreesFit>[1] & { limits: TreeLimits },
): Promise<number> {
  const { limits, roots } = input;
  const { tops, folders } = await readFolders(workspaces, { ...input, roots, limits });
  const blobs = input.withBytes === true ? await blobSizes(workspaces, input, folders) : new Map();
  const sizes = new Map<string, TreeSize>();
  let bytes = 0;
  for (const root of tops) {
    const size = sizeOf(root, { folders, blobs, sizes });
    refuse(size, limits);
    bytes += size.bytes;
  }
  return bytes;
}

type Source = Pick<Parameters<typeof assertTreesFit>[1], 'mirrorPath' | 'env'>;

function callOf(
  { mirrorPath, env }: Source,
  purpose: string,
  ids: readonly string[],
): Omit<GitCommand, 'args'> {
  return {
    purpose,
    gitDir: mirrorPath,
    input: `${ids.join('\n')}\n`,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    ...(env === undefined ? {} : { env }),
  };
}

/** All distinct folders of the roots, and the folder of each root. */
async function readFolders(
  workspaces: Workspaces,
  input: Source & { roots: readonly string[]; limits: TreeLimits; withBytes?: boolean },
): Promise<{ tops: string[]; folders: Map<string, ParsedTree> }> {
  const most = DISTINCT_PER_TREE * input.limits.MAX_TREE_ENTRIES;
  const listed = await workspaces.git.run({
    ...callOf(input, 'rev-list', [...new Set(input.roots)]),
    args: ['rev-list', '--no-walk', '--objects', '--no-object-names', ONLY_TREES, '--stdin'],
  });
  const tops = input.roots.map((id) => `${id}^{tree}`);
  const asked = [...tops, ...listed.stdout.split('\n').filter((id) => id !== '')];
  const folders = new Map<string, ParsedTree>();
  const topIds: string[] = [];
  let entries = 0;
  const withFileIds = input.withBytes === true;
  for (let start = 0; start < asked.length; start += TREES_PER_CALL) {
    const read = await workspaces.git.readBytes({
      ...callOf(input, 'cat-file', asked.slice(start, start + TREES_PER_CALL)),
      args: ['cat-file', '--batch', '--buffer'],
    });
    for (const [id, folder] of treesIn(read, { withFileIds })) {
      if (topIds.length < tops.length) topIds.push(id);
      if (folder === null || folders.has(id)) continue;
      folders.set(id, folder);
      entries += folder.folders.length + folder.fileCount;
      if (entries > most) throw tooLarge('different files and folders', entries, most);
    }
  }
  return { tops: topIds, folders };
}

/** Trees in the requested order; null for anything else. */
function* treesIn(
  output: Buffer,
  options: { withFileIds: boolean },
): Generator<[string, ParsedTree | null]> {
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0x0a, at);
    const header = output.toString('latin1', at, end === -1 ? output.length : end);
    const [id = '', type, size] = header.split(' ');
    if (size === undefined || end === -1) throw incomplete(header);
    const start = end + 1;
    const stop = start + Number(size);
    const isTree = type === 'tree';
    yield [id, isTree ? parseTree(output.subarray(start, stop), options) : null];
    at = stop + 1;
  }
}

async function blobSizes(
  workspaces: Workspaces,
  source: Source,
  folders: ReadonlyMap<string, ParsedTree>,
): Promise<Map<string, number>> {
  const ids = new Set<string>();
  for (const { fileIds } of folders.values()) for (const id of fileIds) ids.add(id);
  if (ids.size === 0) return new Map();
  const { stdout } = await workspaces.git.run({
    ...callOf(source, 'cat-file', [...ids]),
    args: ['cat-file', '--batch-check=%(objectname) %(objectsize)', '--buffer'],
  });
  const lines = stdout.split('\n').slice(0, -1);
  // A missing object is not an excess; the checkout reports it better.
  return new Map(
    lines.map((line) => [line.slice(0, ID_LENGTH), Number(line.slice(ID_LENGTH + 1)) || 0]),
  );
}

/** Computes sizes children first, without recursion; every folder once. */
function sizeOf(
  root: string,
  known: {
    folders: ReadonlyMap<string, ParsedTree>;
    blobs: ReadonlyMap<string, number>;
    sizes: Map<string, TreeSize>;
  },
): TreeSize {
  const { folders, blobs, sizes } = known;
  const open = [root];
  for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
    const folder = folders.get(id);
    if (folder === undefined) throw incomplete(id);
    if (!sizes.has(id)) {
      // A set, because a folder may name another one a million times.
      const missing = new Set<string>();
      for (const inner of folder.folders) if (!sizes.has(inner.id)) missing.add(inner.id);
      for (const one of missing) open.push(one);
      if (missing.size > 0) continue;
      sizes.set(id, sumOf(folder, sizes, blobs));
    }
    open.pop();
  }
  return sizes.get(root) ?? { entries: 0, depth: 0, pathBytes: 0, bytes: 0 };
}

function sumOf(
  { folders, fileCount, fileIds, longestFileNameBytes }: ParsedTree,
  sizes: ReadonlyMap<string, TreeSize>,
  blobs: ReadonlyMap<string, number>,
): TreeSize {
  const entries = folders.length + fileCount;
  const sum = { entries, depth: 0, pathBytes: longestFileNameBytes, bytes: 0 };
  for (const id of fileIds) sum.bytes += blobs.get(id) ?? 0;
  for (const { id, nameBytes } of folders) {
    const inner = sizes.get(id);
    if (inner === undefined) continue;
    sum.entries += inner.entries;
    sum.bytes += inner.bytes;
    sum.depth = Math.max(sum.depth, inner.depth + 1);
    sum.pathBytes = Math.max(sum.pathBytes, nameBytes + 1 + inner.pathBytes);
  }
  return sum;
}

function refuse(size: TreeSize, limits: TreeLimits): void {
  const { MAX_TREE_ENTRIES, MAX_TREE_DEPTH, MAX_PATH_BYTES, MAX_CHECKOUT_BYTES } = limits;
  if (size.entries > MAX_TREE_ENTRIES)
    throw tooLarge('files and folders', size.entries, MAX_TREE_ENTRIES);
  if (size.depth > MAX_TREE_DEPTH) throw tooLarge('folders nested', size.depth, MAX_TREE_DEPTH);
  if (size.pathBytes > MAX_PATH_BYTES)
    throw tooLarge('bytes in a path', size.pathBytes, MAX_PATH_BYTES);
  if (size.bytes > MAX_CHECKOUT_BYTES)
    throw tooLarge('bytes in its files', size.bytes, MAX_CHECKOUT_BYTES);
}

function tooLarge(what: string, count: number, limit: number): WorkspaceError {
  const shown = [count, limit].map((one) => one.toLocaleString('en-US'));
  return new WorkspaceError(
    'limit_exceeded',
    `a commit has ${shown[0]} ${what}; at most ${shown[1]} are compared. Take it out of the history`,
  );
}

function incomplete(id: string): WorkspaceError {
  return new WorkspaceError('git_failed', `the history is not complete: ${cutText(id, 100)}`);
}
