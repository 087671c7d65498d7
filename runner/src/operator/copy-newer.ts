import type { FolderHandle } from '../agent-files/folder-handle.ts';
import { copyHead, putFile, withFolder, withFolderInside } from '../agent-files/with-folder.ts';
import { walkFolder } from '../agent-files/walk-folder.ts';
import type { WorkIdentity } from '../container/container-engine.ts';

const MAX_FILES = 5_000;
const MAX_ENTRIES = 50_000;

/** A regular file with its path below the searched folder. */
type Found = { path: string; sizeBytes: number; mtimeMs: number };

/**
 * Copies regular files of several folders into an open one, newest first within `maxBytes`; an
 * existing file that is not shorter stays, and names in `except` are left out. Other entries in the
 * way are removed, never followed; nobody else may write there meanwhile.
 */
export async function copyNewer(
  sources: readonly string[],
  target: FolderHandle,
  options: { maxBytes: number; except: ReadonlySet<string>; identity: WorkIdentity },
): Promise<void> {
  const { maxBytes, except, identity } = options;
  const found: (Found & { source: string })[] = [];
  for (const source of sources) {
    const files = (await withFolder(source, (folder) => filesBelow(folder))) ?? [];
    found.push(...files.map((file) => ({ ...file, source })));
  }
  const done = new Set<string>();
  let leftBytes = maxBytes;
  for (const file of found.toSorted((a, b) => b.mtimeMs - a.mtimeMs).slice(0, MAX_FILES)) {
    if (done.has(file.path) || except.has(nameOf(file.path))) continue;
    leftBytes -= file.sizeBytes;
    if (leftBytes < 0) break;
    done.add(file.path);
    if ((await plainSize(target, file.path)) >= file.sizeBytes) continue;
    await withFolder(file.source, (folder) => copyOne(folder, target, file, identity));
  }
  await dropOldest(target, 2 * maxBytes);
}

/** Regular files below an open folder; links are neither followed nor listed. */
export async function filesBelow(root: FolderHandle): Promise<Found[]> {
  const found: Found[] = [];
  for await (const { folder, name, path, kind } of walkFolder(root, { maxEntries: MAX_ENTRIES })) {
    const stats = kind === 'file' ? await folder.stat(name) : null;
    if (stats?.isFile() === true)
      found.push({ path, sizeBytes: stats.size, mtimeMs: stats.mtimeMs });
  }
  return found;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

async function copyOne(
  source: FolderHandle,
  target: FolderHandle,
  { path, sizeBytes }: Found,
  identity: WorkIdentity,
): Promise<void> {
  await inFolderOf(source, path, async (folder, name) => {
    const file = await folder.openFile(name);
    if (file === null) return;
    try {
      await putFile(target, path, (copy) => copyHead(file, copy, sizeBytes), identity);
    } finally {
      await file.close();
    }
  });
}

/** Size of a regular file; -1 for anything else. */
async function plainSize(root: FolderHandle, path: string): Promise<number> {
  const found = await inFolderOf(root, path, (folder, name) => folder.stat(name));
  return found?.isFile() === true ? found.size : -1;
}

async function dropOldest(root: FolderHandle, maxBytes: number): Promise<void> {
  const files = (await filesBelow(root)).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  let leftBytes = maxBytes;
  for (const { path, sizeBytes } of files) {
    leftBytes -= sizeBytes;
    if (leftBytes < 0) await inFolderOf(root, path, (folder, name) => folder.remove(name));
  }
}

/** Runs `work` with a file's folder and name; null when there is no such folder. */
function inFolderOf<T>(
  root: FolderHandle,
  path: string,
  work: (folder: FolderHandle, name: string) => Promise<T>,
): Promise<T | null> {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  return withFolderInside(root, steps, { make: false }, (folder) => work(folder, name));
}
