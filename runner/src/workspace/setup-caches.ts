import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { WorkIdentity } from '../container/container-engine.ts';
import { deleteTree } from './disk/delete-tree.ts';
import { mirrorKey } from './mirror/mirror-key.ts';
import { ownUsedTree } from './disk/own-tree.ts';
import { parseRepositoryUrl } from './git/repository-url.ts';
import { type WorkspaceUsage, workspaceUsage } from './disk/workspace-usage.ts';

/** Package managers store many small files; a folder with more entries counts as too large. */
const MAX_ENTRIES = 1_000_000;

const CacheRecord = z.object({ repositoryUrl: z.string(), lastUsedMs: z.number() });

/** The runner's folder of caches. */
export function cachesFolder(dataDir: string): string {
  return join(dataDir, 'caches');
}

/** One repository's cache for people. Sizes in bytes, times in epoch milliseconds. */
export type ListedCache = z.infer<typeof CacheRecord> & { key: string; diskBytes: number };

/**
 * Folders in which package managers of set-up hooks keep downloads: one for each repository,
 * invisible to others. On disk: `KEY/record.json` and `KEY/files`; a container sees only the
 * latter.
 */
export class SetupCaches {
  readonly #root: string;
  readonly #identity: WorkIdentity;
  readonly #users = new Map<string, number>();

  constructor(root: string, identity: WorkIdentity) {
    this.#root = root;
    this.#identity = identity;
  }

  /**
   * Provides a repository's cache while `work` runs. If it is larger than `maxBytes` afterwards,
   * its last user empties it and gets its size.
   */
  async use<T>(
    cache: { repositoryUrl: string; maxBytes: number; nowMs: number },
    work: (folder: string) => Promise<T>,
    emptied: (diskBytes: number) => Promise<void>,
  ): Promise<T> {
    const repositoryUrl = parseRepositoryUrl(cache.repositoryUrl).url;
    const key = mirrorKey(repositoryUrl);
    const files = join(this.#root, key, 'files');
    this.#users.set(key, (this.#users.get(key) ?? 0) + 1);
    try {
      await mkdir(files, { recursive: true, mode: 0o700 });
      // Only containers see it, so its owner stands for all files.
      await ownUsedTree(files, this.#identity, { isKnown: true });
      await writeRecord(join(this.#root, key), { repositoryUrl, lastUsedMs: cache.nowMs });
      return await work(files);
    } finally {
      const others = (this.#users.get(key) ?? 1) - 1;
      if (others > 0) this.#users.set(key, others);
      else {
        this.#users.delete(key);
        const usage = await usageOf(files);
        if (!usage.complete || usage.diskBytes > cache.maxBytes) {
          await removeCache(this.#root, key);
          await emptied(usage.diskBytes);
        }
      }
    }
  }
}

/** All caches below a folder with their sizes, the largest first. */
export async function listCaches(root: string): Promise<ListedCache[]> {
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const listed = await Promise.all(
    names.map(async (key) => {
      const record = await readRecord(join(root, key));
      if (record === null) return null;
      const { diskBytes } = await usageOf(join(root, key, 'files'));
      return { key, ...record, diskBytes };
    }),
  );
  return listed.filter((one) => one !== null).sort((a, b) => b.diskBytes - a.diskBytes);
}

/** Removes caches unused since then, and returns them. */
export async function pruneCaches(root: string, usedBeforeMs: number): Promise<ListedCache[]> {
  const unused = (await listCaches(root)).filter(({ lastUsedMs }) => lastUsedMs < usedBeforeMs);
  for (const { key } of unused) await removeCache(root, key);
  // Removes what an interrupted removal has left.
  const names = unused.length === 0 ? [] : await readdir(root);
  for (const name of names.filter((one) => one.startsWith('.gone-')))
    await deleteTree(join(root, name));
  return unused;
}

/** Renames the cache first, so that the next user starts with an empty one. Idempotent. */
async function removeCache(root: string, key: string): Promise<void> {
  const gone = join(root, `.gone-${randomBytes(6).toString('hex')}`);
  await rename(join(root, key), gone).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await deleteTree(gone);
}

/** Incomplete when a hook made folders unreadable: such a cache counts as too large. */
async function usageOf(files: string): Promise<WorkspaceUsage> {
  return workspaceUsage(files, { maxEntries: MAX_ENTRIES });
}

async function writeRecord(folder: string, record: z.infer<typeof CacheRecord>): Promise<void> {
  const draft = join(folder, `record.${randomBytes(6).toString('hex')}`);
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(draft, join(folder, 'record.json'));
}

/** The record; null for a folder that is no cache, or is being removed. */
async function readRecord(folder: string): Promise<z.infer<typeof CacheRecord> | null> {
  try {
    const text = await readFile(join(folder, 'record.json'), 'utf8');
    return CacheRecord.parse(JSON.parse(text));
  } catch {
    // Without a record it is neither shown nor removed.
    return null;
  }
}
