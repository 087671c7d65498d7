import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { MIGRATIONS } from './migrations.ts';

let migrated: Promise<Uint8Array> | null = null;

/**
 * Writes an empty database that has every migration. They run once in a process and the file is then
 * copied: to run them takes longer than most tests that need one.
 */
export async function writeMigratedFile(path: string): Promise<void> {
  migrated ??= makeMigrated();
  await writeFile(path, await migrated);
}

async function makeMigrated(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-migrated-'));
  try {
    const path = join(folder, 'migrated.db');
    const client = createClient({ url: `file:${path}` });
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS });
    client.close();
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
