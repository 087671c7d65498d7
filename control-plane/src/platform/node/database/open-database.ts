import { causesOf } from '@switchyard/shared/causes-of';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import type { Database } from '../../../db/database.ts';
import type { BatchWriter } from '../../../db/server/server-writer.ts';
import { GroupCommit } from './group-commit.ts';
import { type BoundStatement, LibsqlFile } from './libsql-file.ts';

/** How long a migration waits for another migrating process; nothing else runs yet. */
const LOCK_WAIT_MS = 200;
const MAX_TRIES = 8;
const RETRY_BASE_MS = 15;

export type OpenDatabase = {
  db: Database;
  /** Left out when the database is a file. */
  writes?: Pick<BatchWriter, 'probe'>;
  close(): void;
};

/**
 * Opens the libSQL file in WAL mode and migrates it to the newest version. Batches begin in write
 * mode and share commits; a busy database is retried with jitter.
 */
export async function openDatabase(path: string, migrationsFolder: string): Promise<OpenDatabase> {
  const file = await retryBusy(async () => new LibsqlFile(path));
  try {
    await migrateTogether(path, migrationsFolder);
  } catch (error) {
    file.close();
    throw error;
  }
  const db = Object.assign(drizzle(driverOf(file)), {
    rowsVersion: () => file.rowsVersion(),
    blocks: true,
  });
  return { db, close: () => file.close() };
}

/**
 * Migrates the file. Another process may migrate it at the same time: the migration is one
 * transaction that first checks what is applied, so the second process only has to check again.
 */
async function migrateTogether(path: string, migrationsFolder: string): Promise<void> {
  const client = createClient({ url: `file:${path}`, concurrency: 1, timeout: LOCK_WAIT_MS });
  try {
    await retry('SQLITE_', () => migrate(drizzle(client), { migrationsFolder }));
  } finally {
    client.close();
  }
}

/** The two methods of a client that the query builder uses. */
function driverOf(file: LibsqlFile): Client {
  const commits = new GroupCommit(file);
  const driver = {
    async execute(statement: BoundStatement) {
      if (file.hasRows(statement.sql)) return retryBusy(async () => file.run(statement));
      const [result] = await retryBusy(() => commits.batch([statement]));
      return result;
    },
    batch(statements: readonly BoundStatement[]) {
      return statements.every(({ sql }) => sql.startsWith('select '))
        ? retryBusy(async () => file.snapshot(statements))
        : retryBusy(() => commits.batch(statements));
    },
  };
  return driver as unknown as Client;
}

function retryBusy<T>(work: () => Promise<T>): Promise<T> {
  return retry('SQLITE_BUSY', work);
}

/** Retries with jitter while `work` fails with one of these codes. */
async function retry<T>(codes: string, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= MAX_TRIES || !hasCode(error, codes)) throw error;
      await delay(Math.random() * RETRY_BASE_MS * 2 ** tries);
    }
  }
}

function hasCode(error: unknown, prefix: string): boolean {
  return causesOf(error).some(
    (cause) => 'code' in cause && typeof cause.code === 'string' && cause.code.startsWith(prefix),
  );
}
