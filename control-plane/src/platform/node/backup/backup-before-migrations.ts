import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceVersion } from '../service-version.ts';
import { migrationState, requireKnownMigrations } from './migration-state.ts';
import { type Backup, backupFolder, DATABASE_FILE, takeBackup } from './take-backup.ts';

const LABEL = 'before-';
/** Copies made before a change that are kept. */
const KEPT = 5;

/**
 * A database that this version is about to change is copied first, so that there is a way back.
 * Null when nothing is to be changed.
 */
export async function backupBeforeMigrations(input: {
  dataDir: string;
  nowMs: number;
  migrationsFolder?: string;
}): Promise<Backup | null> {
  const path = join(input.dataDir, DATABASE_FILE);
  if (!existsSync(path)) return null;
  const state = await migrationState(path, input.migrationsFolder);
  requireKnownMigrations(state, `the database in ${input.dataDir}`);
  if (state.is !== 'behind') return null;
  const backup = await takeBackup({ ...input, label: `${LABEL}${serviceVersion}` });
  await removeOldest(input.dataDir);
  return backup;
}

/** Only copies that were made by themselves; those that a person asked for are theirs. */
async function removeOldest(dataDir: string): Promise<void> {
  const folder = backupFolder(dataDir);
  const own = (await readdir(folder)).filter((name) => name.startsWith(`switchyard-${LABEL}`));
  const byTime = own.toSorted((a, b) => stampOf(a).localeCompare(stampOf(b)));
  for (const name of byTime.slice(0, -KEPT)) await rm(join(folder, name), { force: true });
}

/** The time in a copy's name, which sorts as text. */
function stampOf(name: string): string {
  return /\d{4}-\d\d-\d\dT[\d-]+Z/.exec(name)?.[0] ?? '';
}
