import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Backup, backupFolder, PARTIAL, takeBackup } from './take-backup.ts';

/** Copies of each kind that are kept. */
const KEPT = 5;

/**
 * Copies the database before a change. The oldest copies of its kind (the first word of its label)
 * are removed beyond a limit, and so are identical ones, so that a repeatedly failing upgrade does
 * not displace older copies. Copies that a person requested stay.
 */
export async function takeBoundedBackup(
  input: { dataDir: string; nowMs: number },
  label: string,
): Promise<Backup> {
  const folder = backupFolder(input.dataDir);
  // No other process copies during an upgrade: partial files are left over from a crash, and their
  // space may be needed.
  for (const name of await namesIn(folder)) {
    if (name.startsWith('switchyard-') && name.endsWith(PARTIAL))
      await rm(join(folder, name), { force: true });
  }
  const backup = await takeBackup({ dataDir: input.dataDir, nowMs: input.nowMs, label });
  const start = `switchyard-${label.split('-', 1)[0]}-`;
  const others: string[] = [];
  for (const name of await namesIn(folder)) {
    // The clock may have been set back, so the new copy is never removed, whatever its name.
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

/** The time in a copy's name, in a form that sorts as text. */
function stampOf(name: string): string {
  return /\d{4}-\d\d-\d\dT[\d-]+Z/.exec(name)?.[0] ?? '';
}
