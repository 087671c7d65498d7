import { constants } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import {
  type MigrationState,
  migrationState,
  readMigrationState,
  requireKnownMigrations,
} from './migration-state.ts';
import { requireSound } from './require-sound.ts';
import { backupFolder, DATABASE_FILE } from './take-backup.ts';

export type Restored = {
  /** The backup that was restored. */
  restoredFrom: string;
  /** New path of the former database; null when there was none. */
  movedTo: string | null;
};

/**
 * Replaces a data folder's database by a backup; the former one is kept beside it. The caller must
 * make sure that the folder is unused (`requireUnused`). Throws when the file is damaged, no
 * backup, or of a newer version.
 */
export async function restoreBackup(input: {
  dataDir: string;
  file: string;
  nowMs: number;
}): Promise<Restored> {
  const { dataDir, file } = input;
  await requireSoundBackup(file);
  await mkdir(backupFolder(dataDir), { recursive: true, mode: 0o700 });
  const current = join(dataDir, DATABASE_FILE);
  const present = await exists(current);
  const incoming = `${current}.incoming`;
  await rm(incoming, { force: true });
  await copyFile(file, incoming, constants.COPYFILE_EXCL);
  const stamp = new Date(input.nowMs).toISOString().replace(/[:.]/g, '-');
  const movedTo = join(backupFolder(dataDir), `switchyard-replaced-${stamp}.db`);
  for (const suffix of ['', '-wal', '-shm']) {
    if (await exists(current + suffix)) await rename(current + suffix, movedTo + suffix);
  }
  await rename(incoming, current);
  return { restoredFrom: file, movedTo: present ? movedTo : null };
}

async function requireSoundBackup(file: string): Promise<void> {
  await requireKnownBackup(file);
  await requireSound(file);
}

/**
 * Throws for a file that is no backup or that this version cannot use; it does not check for
 * damage.
 */
export async function requireKnownBackup(file: string): Promise<void> {
  if (!(await exists(file))) throw new Error(`${file} does not exist`);
  const state = await migrationState(file);
  if (state.is === 'none') throw new Error(`${file} is no backup of a Switchyard database`);
  requireKnownMigrations(state, file);
}

/** Error: another process has a data folder's database open. */
export class DatabaseInUse extends Error {}

/**
 * Throws DatabaseInUse when another process has a data folder's database open, because leaving WAL
 * mode needs it alone. An open connection of this process counts as well, so the migration state is
 * read from the same one. `judge` may throw before anything is changed.
 */
export async function requireUnused(
  dataDir: string,
  judge: (state: MigrationState) => void = () => {},
): Promise<MigrationState | null> {
  const path = join(dataDir, DATABASE_FILE);
  if (!(await exists(path))) return null;
  const client = createClient({ url: `file:${path}`, concurrency: 1 });
  try {
    const state = await readMigrationState((sql) => client.execute(sql));
    judge(state);
    await client.execute('PRAGMA journal_mode=DELETE');
    return state;
  } catch (error) {
    if (!(error instanceof Error) || !/SQLITE_BUSY/.test(error.message)) throw error;
    const message = 'a service uses this data folder: stop it first';
    throw new DatabaseInUse(message, { cause: error });
  } finally {
    client.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
