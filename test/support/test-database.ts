import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import type { Database } from '../../control-plane/src/db/database.ts';
import { writeMigratedFile } from './core/write-migrated-file.ts';

/** A migrated database in a temporary file of its own. */
export async function createTestDatabase(): Promise<{
  db: Database;
  client: Client;
  close: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-db-'));
  const path = join(folder, 'test.db');
  await writeMigratedFile(path);
  const client = createClient({ url: `file:${path}` });
  // Batches write: a deferred one fails when another connection writes in between.
  const batch = client.batch.bind(client);
  client.batch = (statements, mode = 'write') => batch(statements, mode);
  const db = drizzle(client);
  const close = async () => {
    client.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { db, client, close };
}
