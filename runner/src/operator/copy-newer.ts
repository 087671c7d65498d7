import { constants } from 'node:fs';
import { copyFile, lchown, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { WorkIdentity } from '../container/container-engine.ts';

const MAX_FILES = 5_000;
const MAX_ENTRIES = 50_000;

type Found = { path: string; name: string; sizeBytes: number; mtimeMs: number };

/**
 * Copies plain files of several folders into one, newest first within `maxBytes`; a file that is
 * there and not shorter stays, names in `except` are left out. What lies in the target's way and is
 * no folder is removed, never followed; nobody else may write there meanwhile.
 */
export async function copyNewer(
  sources: readonly string[],
  target: string,
  options: { maxBytes: number; except: ReadonlySet<string>; identity: WorkIdentity },
): Promise<void> {
  const { maxBytes, except, identity } = options;
  const found = (await Promise.all(sources.map((source) => filesBelow(source)))).flat();
  const done = new Set<string>();
  let leftBytes = maxBytes;
  for (const file of found.toSorted((a, b) => b.mtimeMs - a.mtimeMs).slice(0, MAX_FILES)) {
    if (done.has(file.name) || except.has(basename(file.name))) continue;
    leftBytes -= file.sizeBytes;
    if (leftBytes < 0) break;
    done.add(file.name);
    const path = join(target, file.name);
    const present = await plainSize(path);
    if (present !== null && present >= file.sizeBytes) continue;
    await makeFolders(target, dirname(file.name), identity);
    await rm(path, { recursive: true, force: true });
    await copyFile(file.path, path, constants.COPYFILE_EXCL);
    await own(path, identity);
  }
  await dropOldest(target, 2 * maxBytes);
}

/** Makes each folder of a path below `root`; whatever else has its name goes. */
export async function makeFolders(
  root: string,
  name: string,
  identity: WorkIdentity,
): Promise<void> {
  let path = root;
  const parts = name === '.' ? [] : name.split('/');
  for (const part of ['', ...parts]) {
    path = join(path, part);
    const there = await lstat(path).catch(() => null);
    if (there?.isDirectory()) continue;
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true, mode: 0o700 });
    await own(path, identity);
  }
}

/** Gives one file or folder to whom the engine runs as. */
export async function own(path: string, identity: WorkIdentity): Promise<void> {
  if (identity !== null) await lchown(path, identity.uid, identity.gid);
}

/** Plain files below a folder; links are neither followed nor named. */
export async function filesBelow(folder: string): Promise<Found[]> {
  const found: Found[] = [];
  const waiting = [folder];
  let left = MAX_ENTRIES;
  for (let at = waiting.pop(); at !== undefined && left > 0; at = waiting.pop()) {
    if (!(await lstat(at).catch(() => null))?.isDirectory()) continue;
    for (const entry of await readdir(at, { withFileTypes: true })) {
      left -= 1;
      const path = join(at, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isFile()) continue;
      const { size, mtimeMs } = await lstat(path);
      found.push({ path, name: relative(folder, path), sizeBytes: size, mtimeMs });
    }
  }
  return found;
}

async function plainSize(path: string): Promise<number | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() ? found.size : null;
}

async function dropOldest(folder: string, maxBytes: number): Promise<void> {
  const files = (await filesBelow(folder)).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  let leftBytes = maxBytes;
  for (const { path, sizeBytes } of files) {
    leftBytes -= sizeBytes;
    if (leftBytes < 0) await rm(path, { force: true });
  }
}
