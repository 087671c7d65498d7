import { messageOf } from '@switchyard/shared/message-of';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serviceVersion } from '../service-version.ts';
import { type MigrationState, migrationState, requireKnownMigrations } from './migration-state.ts';
import { type Backup, DATABASE_FILE } from './take-backup.ts';
import { takeBoundedBackup } from './take-bounded-backup.ts';

/** The state of the database before a start changed anything; null: there was none. */
export type FormerDatabase = {
  state: MigrationState;
  /** The copy; null unless the database had an older schema. */
  copy: Backup | null;
};

/**
 * Copies a database that this version is about to migrate, so that a person can go back. Throws,
 * without changing anything, when it cannot be copied or belongs to a newer version.
 */
export async function backupBeforeMigrations(input: {
  dataDir: string;
  nowMs: number;
  migrationsFolder?: string;
}): Promise<FormerDatabase | null> {
  const path = join(input.dataDir, DATABASE_FILE);
  if (!existsSync(path)) return null;
  const state = await migrationState(path, input.migrationsFolder);
  requireKnownMigrations(state, `the database in ${input.dataDir}`);
  if (state.is !== 'behind') return { state, copy: null };
  try {
    return { state, copy: await takeBoundedBackup(input, `before-${serviceVersion}`) };
  } catch (error) {
    const why = messageOf(error);
    throw new Error(
      `the database in ${input.dataDir} is as it was: it has to be copied before ${serviceVersion} ` +
        `changes it, and that failed (${why}); make room for a second one in that folder, then start again`,
      { cause: error },
    );
  }
}
