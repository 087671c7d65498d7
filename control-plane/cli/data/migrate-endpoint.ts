import { migrate } from 'drizzle-orm/libsql/migrator';
import {
  type MigrationState,
  readMigrationState,
  requireKnownMigrations,
} from '../../src/platform/node/backup/migration-state.ts';
import type { DataEndpoint } from './data-endpoint.ts';

/**
 * Migrates a database to this version and returns its former state. Throws, with what to do, where
 * that is impossible.
 */
export async function migrateEndpoint(
  endpoint: DataEndpoint,
  migrationsFolder: string,
): Promise<MigrationState> {
  const former = await requireKnownEndpoint(endpoint, migrationsFolder);
  await migrate(endpoint.migratable, { migrationsFolder });
  return former;
}

/** Throws, with what to do, for a database that this version can neither use nor bring up to date. */
export async function requireKnownEndpoint(
  endpoint: DataEndpoint,
  migrationsFolder: string,
): Promise<MigrationState> {
  // Fails with a shorter message than a failed migration would.
  await endpoint.read('select 1');
  const state = await readMigrationState((sql) => endpoint.read(sql), migrationsFolder);
  requireKnownMigrations(state, endpoint.name);
  return state;
}
