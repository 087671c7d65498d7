import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FolderHandle } from '../../../agent-files/folder-handle.ts';
import { readHead } from '../../../agent-files/with-folder.ts';
import { shownPath } from '../shown-path.ts';
import { WorkspaceError } from '../../workspace.ts';
import type { AllowedFolders, OpenFolder } from './allowed-folders.ts';
import { pathFrom } from './runner-folder.ts';

/** The open folder of a repository's git files; valid while `withRepository` runs. */
export type OpenRepository = {
  path: string;
  /** File descriptor of the open folder. */
  descriptor: number;
  /** Owner of the folder: this process's user, root, or another user. */
  owner: 'self' | 'root' | 'other';
};

const MAX_POINTER_BYTES = 4_096;
const MAX_ALTERNATES_BYTES = 64 * 1024;
/** Depth to which alternates are followed, the same as git's. */
const MAX_ALTERNATE_DEPTH = 5;
const MAX_ALTERNATES = 50;
const MAX_HOOKS = 1_000;
/**
 * What git reads in its folder; hooks are programs and may be anywhere that agents cannot write.
 */
const FOLLOWED = [
  'HEAD',
  'config',
  'config.worktree',
  'packed-refs',
  'refs',
  'objects',
  'info',
  'logs',
  'shallow',
  'index',
  'worktrees',
];

/**
 * Runs `work` with a repository of this host that is in allowed folders with everything that git
 * follows from it: a `.git` that points elsewhere, links, borrowed objects. Throws
 * `repository_refused` and `repository_missing` as AllowedFolders does.
 */
export async function withRepository<T>(
  folders: AllowedFolders,
  path: string,
  work: (repository: OpenRepository) => Promise<T>,
): Promise<T> {
  const closing: FolderHandle[] = [];
  const open: Open = async (at, options) => {
    const folder = await folders.open(at, options);
    closing.push(folder.handle);
    return folder;
  };
  try {
    const folder = await gitFolder(open, path);
    await assertAllAllowed(open, folder);
    const { uid } = await folder.handle.ownStat();
    const isOwn = process.getuid === undefined || uid === process.getuid();
    const owner = isOwn ? 'self' : uid === 0 ? 'root' : 'other';
    return await work({ path: folder.path, descriptor: folder.handle.descriptor, owner });
  } finally {
    for (const handle of closing) await handle.close();
  }
}

/** Throws `repository_refused` when agents can write the hooks that a push would run. */
export async function assertOwnHooks(folders: AllowedFolders, hooksPath: string): Promise<void> {
  await folders.assertNotAgents(hooksPath);
  const real = await realpath(hooksPath).catch(() => null);
  const handle = real === null ? null : await FolderHandle.open(real);
  if (handle === null) return;
  try {
    let left = MAX_HOOKS;
    for await (const { name, kind } of handle.entries()) {
      if ((left -= 1) < 0) return;
      const file = Buffer.from(name, 'latin1').toString('utf8');
      if (kind === 'other') await folders.assertNotAgents(pathFrom(hooksPath, file));
    }
  } finally {
    await handle.close();
  }
}

type Open = AllowedFolders['open'];

/** The folder of git's files for a path: `.git`, its target, or the folder itself. */
async function gitFolder(open: Open, path: string): Promise<OpenFolder> {
  const top = await open(path);
  const dot = await top.handle.stat('.git');
  if (dot === null) return top;
  const pointer = dot.isFile() ? await readText(top, '.git', MAX_POINTER_BYTES) : null;
  const target = pointer === null ? '.git' : /^gitdir: (.+?)\n?$/.exec(pointer)?.[1];
  const inner = target === undefined ? null : await open(pathFrom(top.path, target));
  // git would continue into that one.
  if (inner === null || (await inner.handle.stat('.git')) !== null)
    throw new WorkspaceError(
      'repository_missing',
      `there is no git repository at ${shownPath(path)}: its .git leads to none`,
    );
  return inner;
}

async function assertAllAllowed(open: Open, folder: OpenFolder): Promise<void> {
  await assertLinksAllowed(open, folder, FOLLOWED);
  const common = await readText(folder, 'commondir', MAX_POINTER_BYTES);
  const base = common === null ? folder : await open(pathFrom(folder.path, common.trimEnd()));
  if (common !== null) await assertLinksAllowed(open, base, FOLLOWED);
  await assertAlternatesAllowed(open, join(base.path, 'objects'), {
    depth: 0,
    left: MAX_ALTERNATES,
  });
}

async function assertLinksAllowed(
  open: Open,
  { path, handle }: OpenFolder,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const found = await handle.stat(name);
    if (found === null || found.isFile() || found.isDirectory()) continue;
    if (!found.isSymbolicLink()) throw noPlainFile(join(path, name));
    const real = await realpath(join(path, name)).catch(() => null);
    // A link without a target is not read.
    if (real !== null) await open(dirname(real), { isPart: true });
  }
}

async function assertAlternatesAllowed(
  open: Open,
  objectsPath: string,
  limits: { depth: number; left: number },
): Promise<void> {
  const objects = await open(objectsPath).catch(unlessMissing);
  if (objects === null) return;
  await assertLinksAllowed(open, objects, ['info', 'pack']);
  const info = await open(join(objects.path, 'info')).catch(unlessMissing);
  if (info === null) return;
  await assertLinksAllowed(open, info, ['alternates']);
  const listed = await readText(info, 'alternates', MAX_ALTERNATES_BYTES);
  for (const line of (listed ?? '').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    limits.left -= 1;
    if (line.startsWith('"') || limits.left < 0 || limits.depth >= MAX_ALTERNATE_DEPTH)
      throw new WorkspaceError(
        'repository_refused',
        `${shownPath(objectsPath)} borrows objects in a way that cannot be followed: run "git repack -a -d" there and remove info/alternates`,
      );
    limits.depth += 1;
    // Only for these git removes dots before it follows links.
    await assertAlternatesAllowed(open, resolve(objects.path, line), limits);
    limits.depth -= 1;
  }
}

function unlessMissing(error: unknown): null {
  if (error instanceof WorkspaceError && error.code === 'repository_missing') return null;
  throw error;
}

/**
 * Reads a regular file; null when nothing has that name, else throws `repository_refused`. A link
 * is read at its target, which was checked.
 */
async function readText(
  { path, handle }: OpenFolder,
  name: string,
  maxBytes: number,
): Promise<string | null> {
  const file = await handle.openFile(name);
  if (file === null) {
    if ((await handle.stat(name)) === null) return null;
    throw noPlainFile(join(path, name));
  }
  try {
    const { size } = await file.stat();
    if (size > maxBytes)
      throw new WorkspaceError(
        'repository_refused',
        `${shownPath(join(path, name))} has more than ${maxBytes} bytes`,
      );
    return (await readHead(file, maxBytes)).toString('utf8');
  } finally {
    await file.close();
  }
}

function noPlainFile(path: string): WorkspaceError {
  return new WorkspaceError(
    'repository_refused',
    `${shownPath(path)} is no plain file, so where it leads cannot be looked at`,
  );
}
