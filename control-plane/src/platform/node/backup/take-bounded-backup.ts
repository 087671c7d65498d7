import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Backup, backupFolder, PARTIAL, takeBackup } from './take-backup.ts';

/** Copies of a kind that are kept. */
const KEPT = 5;

/**
 * A copy that is made on the way to a change: the oldest ones of its kind, which is the first word of
 * its label, make room, and so do those of the same bytes. An upgrade that fails and is tried again and
 * again thus pushes no other out. Copies that a person asked for are theirs and stay.
 */
export async function takeBoundedBackup(
  input: { dataDir: string; nowMs: number },
  label: string,
): Promise<Backup> {
  const folder = backupFolder(input.dataDir);
  // Nobody else copies while a version takes over: what is not whole was left by a process that died,
  // and the new copy may need its room.
  for (const name of await namesIn(folder)) {
    if (name.startsWith('switchyard-') && name.endsWith(PARTIAL))
      await rm(join(folder, name), { force: true });
  }
  const backup = await takeBackup({ dataDir: input.dataDir, nowMs: input.nowMs, label });
  const start = `switchyard-${label.split('-', 1)[0]}-`;
  const others: string[] = [];
  for (const name of await namesIn(folder)) {
    // The clock may have been set back: the new copy stays whatever its name says.
    if (!name.startsWith(start) || name === basename(backup.path)) continue;
    if (await isSame(join(folder, name), backup)) await rm(join(folder, name), { force: true });
    else others.push(name);
  }
  const byTime = others.toSorted((a, b) => stampOf(a).localeCompare(stampOf(b)));
  for (const name of byTime.slice(0, Math.max(0, byTime.length - (KEPT - 1))))
    await rm(join(folder, name), { force: true });
  return backup;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

async function isSame(path: string, { bytes, sha256 }: Backup): Promise<boolean> {
  if ((await stat(path)).size !== bytes) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') === sha256;
}

/** The time in a copy's name, which sorts as text. */
function stampOf(name: string): string {
  return /\d{4}-\d\d-\d\dT[\d-]+Z/.exec(name)?.[0] ?? '';
}
