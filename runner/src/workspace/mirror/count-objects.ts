import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How a repository's objects are stored. Packs that must be kept are excluded. */
export type ObjectCount = { packs: number; looseObjects: number };

/** Counts by names only, in a repository of the runner's own. */
export async function countObjects(gitDir: string): Promise<ObjectCount> {
  const objects = join(gitDir, 'objects');
  const folders = (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  let looseObjects = 0;
  for (const folder of folders) looseObjects += (await namesIn(join(objects, folder))).length;
  const packed = new Set(await namesIn(join(objects, 'pack')));
  const packs = [...packed].filter(
    (name) => name.endsWith('.pack') && !packed.has(name.replace(/pack$/, 'keep')),
  ).length;
  return { packs, looseObjects };
}

/** Names in a folder; git removes folders that become empty. */
async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
}
