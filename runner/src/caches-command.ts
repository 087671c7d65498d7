import { resolve } from 'node:path';
import { cachesFolder, listCaches, pruneCaches } from './workspace/setup-caches.ts';
import type { ListedCache } from './workspace/setup-caches.ts';

const DAY_MS = 86_400_000;

export type CachesFlags = { dataDir: string; prune?: boolean; unusedDays: number; json?: boolean };

/** Parses a whole number from 0 to 3650; throws on anything else. */
export function parseDays(text: string): number {
  const days = Number(text);
  if (text.trim() === '' || !Number.isInteger(days) || days < 0 || days > 3_650) {
    throw new Error('--unused-days takes a whole number from 0 to 3650');
  }
  return days;
}

/** Lists this host's dependency caches, or those just removed, as text for people or JSON. */
export async function cachesCommand(flags: CachesFlags, nowMs: number): Promise<string> {
  const root = cachesFolder(resolve(flags.dataDir));
  const pruned = flags.prune === true;
  const listed = pruned
    ? await pruneCaches(root, nowMs - flags.unusedDays * DAY_MS + 1)
    : await listCaches(root);
  const totalBytes = listed.reduce((sum, { diskBytes }) => sum + diskBytes, 0);
  if (flags.json === true) return `${JSON.stringify({ pruned, totalBytes, caches: listed })}\n`;
  const total = `${mebibytes(totalBytes)} in ${listed.length} dependency caches`;
  return `${listed.map(describe).join('')}${pruned ? `removed: ${total}` : total}\n`;
}

function describe({ repositoryUrl, diskBytes, lastUsedMs }: ListedCache): string {
  const used = new Date(lastUsedMs).toISOString().slice(0, 10);
  return `${mebibytes(diskBytes).padStart(10)}  last used ${used}  ${repositoryUrl}\n`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
