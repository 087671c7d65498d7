import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import type { Database } from '../../control-plane/src/db/database.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/** A migrated database in a temporary file of its own. */
export async function createTestDatabase(): Promise<{ db: Database; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-db-'));
  const client = createClient({ url: `file:${join(folder, 'test.db')}` });
  // Batches write: a deferred one fails when another connection writes in between.
  const batch = client.batch.bind(client);
  client.batch = (statements, mode = 'write') => batch(statements, mode);
  const db = drizzle(client);
  await migrate(db, { migrationsFolder: MIGRATIONS });
  const close = async () => {
    client.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { db, close };
}
