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

/** Package managers keep many small files; a folder with more than that counts as too large. */
const MAX_ENTRIES = 1_000_000;

const CacheRecord = z.object({ repositoryUrl: z.string(), lastUsedMs: z.number() });

/** Where a runner keeps them. */
export function cachesFolder(dataDir: string): string {
  return join(dataDir, 'caches');
}

/** One repository's cache as people are shown it. Bytes; time in milliseconds since 1970. */
export type ListedCache = z.infer<typeof CacheRecord> & { key: string; diskBytes: number };

/**
 * Folders that package managers of set-up hooks keep their downloads in: one for each repository,
 * seen by no other one. On disk: `KEY/record.json` and `KEY/files`, of which a container sees the
 * second alone.
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
   * The folder of a repository's cache for as long as `work` runs. A cache that is larger than
   * `maxBytes` afterwards is emptied by its last user, who is told its size.
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
      // Only containers see it.
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

/** Removes the caches that nobody used since then, and answers them. */
export async function pruneCaches(root: string, usedBeforeMs: number): Promise<ListedCache[]> {
  const unused = (await listCaches(root)).filter(({ lastUsedMs }) => lastUsedMs < usedBeforeMs);
  for (const { key } of unused) await removeCache(root, key);
  // What a removal that was cut off has left.
  const names = unused.length === 0 ? [] : await readdir(root);
  for (const name of names.filter((one) => one.startsWith('.gone-')))
    await deleteTree(join(root, name));
  return unused;
}

/** Out of the way at once, so that whoever comes next begins with an empty one. Safe to repeat. */
async function removeCache(root: string, key: string): Promise<void> {
  const gone = join(root, `.gone-${randomBytes(6).toString('hex')}`);
  await rename(join(root, key), gone).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await deleteTree(gone);
}

/** Not complete where a hook closed folders: such a cache counts as too large. */
async function usageOf(files: string): Promise<WorkspaceUsage> {
  return workspaceUsage(files, { maxEntries: MAX_ENTRIES });
}

async function writeRecord(folder: string, record: z.infer<typeof CacheRecord>): Promise<void> {
  const draft = join(folder, `record.${randomBytes(6).toString('hex')}`);
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(draft, join(folder, 'record.json'));
}

/** Null for what is no cache, or is just being removed. */
async function readRecord(folder: string): Promise<z.infer<typeof CacheRecord> | null> {
  try {
    const text = await readFile(join(folder, 'record.json'), 'utf8');
    return CacheRecord.parse(JSON.parse(text));
  } catch {
    // Nothing of it is shown, and nothing of it is removed.
    return null;
  }
}
