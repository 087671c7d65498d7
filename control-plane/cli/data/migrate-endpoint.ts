import { migrate } from 'drizzle-orm/libsql/migrator';
import {
  judgeMigrations,
  NEWEST_MIGRATION,
  requireKnownMigrations,
} from '../../src/platform/node/backup/migration-state.ts';
import type { DataEndpoint } from './data-endpoint.ts';

/** Brings a database to this version. Throws, with what to do, where that cannot be. */
export async function migrateEndpoint(
  endpoint: DataEndpoint,
  migrationsFolder: string,
): Promise<void> {
  // Says in few words what a failed migration would say in many.
  await endpoint.read('select 1');
  const state = judgeMigrations(await newestMigrationAtMs(endpoint), migrationsFolder);
  requireKnownMigrations(state, endpoint.name);
  await migrate(endpoint.migratable, { migrationsFolder });
}

/** When the newest migration was made that it has had; 0: it has had none. */
export async function newestMigrationAtMs(endpoint: DataEndpoint): Promise<number> {
  const found = await endpoint.read(NEWEST_MIGRATION).catch((error: unknown) => {
    if (error instanceof Error && /no such table/.test(error.message)) return null;
    throw error;
  });
  return Number(found?.rows[0]?.[0] ?? 0);
}
