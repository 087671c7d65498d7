import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Backup, backupFolder, PARTIAL, takeBackup } from './take-backup.ts';

/** Copies of a kind that are kept. */
const KEPT = 5;

/**
 * A copy that is made on the way to a change: the oldest ones of its kind, which is the first word of
 * its label, make room. Copies that a person asked for are theirs and stay.
 */
export async function takeBoundedBackup(
  input: { dataDir: string; nowMs: number },
  label: string,
): Promise<Backup> {
  const backup = await takeBackup({ dataDir: input.dataDir, nowMs: input.nowMs, label });
  const folder = backupFolder(input.dataDir);
  const start = `switchyard-${label.split('-', 1)[0]}-`;
  const found = await readdir(folder);
  // Nobody else copies while a version takes over: what is not whole was left by a process that died.
  const torn = found.filter((name) => name.startsWith('switchyard-') && name.endsWith(PARTIAL));
  for (const name of torn) await rm(join(folder, name), { force: true });
  const names = found.filter((name) => name.startsWith(start) && !torn.includes(name));
  // The clock may have been set back: the new copy stays whatever its name says.
  const others = names.filter((name) => name !== basename(backup.path));
  const byTime = others.toSorted((a, b) => stampOf(a).localeCompare(stampOf(b)));
  for (const name of byTime.slice(0, Math.max(0, byTime.length - (KEPT - 1))))
    await rm(join(folder, name), { force: true });
  return backup;
}

/** The time in a copy's name, which sorts as text. */
function stampOf(name: string): string {
  return /\d{4}-\d\d-\d\dT[\d-]+Z/.exec(name)?.[0] ?? '';
}
