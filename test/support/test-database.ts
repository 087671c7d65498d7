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
  /** How often event streams were notified. */
  notified: () => number;
  close: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-db-'));
  const path = join(folder, 'test.db');
  await writeMigratedFile(path);
  const client = createClient({ url: `file:${path}` });
  // Batches write: a deferred one fails when another connection writes in between.
  const batch = client.batch.bind(client);
  client.batch = (statements, mode = 'write') => batch(statements, mode);
  let count = 0;
  const db = Object.assign(drizzle(client), { notify: () => void (count += 1) });
  const close = async () => {
    client.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { db, client, notified: () => count, close };
}
