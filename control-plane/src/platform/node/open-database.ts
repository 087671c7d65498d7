import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, type InArgs, type InStatement } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import type { Database } from '../../db/database.ts';

/** The driver waits for a lock synchronously, which stops the event loop: keep it short. */
const LOCK_WAIT_MS = 200;
const MAX_TRIES = 8;
const RETRY_BASE_MS = 15;

export type OpenDatabase = { db: Database; close(): void };

/**
 * Opens the libSQL file in WAL mode and brings it to the newest migration. Batches begin in write
 * mode; a busy database heals the client and is tried again with jitter.
 */
export async function openDatabase(path: string, migrationsFolder: string): Promise<OpenDatabase> {
  const client = createClient({ url: `file:${path}`, timeout: LOCK_WAIT_MS });
  await setPragmas(client);
  const db = drizzle(withRetries(client));
  await migrate(db, { migrationsFolder });
  return { db, close: () => client.close() };
}

async function setPragmas(client: Client): Promise<void> {
  await client.execute('PRAGMA journal_mode=WAL');
  await client.execute('PRAGMA synchronous=FULL');
  await client.execute('PRAGMA foreign_keys=ON');
}

/** The same client with `execute` and `batch` that survive a busy database. */
function withRetries(client: Client): Client {
  const batch = client.batch.bind(client);
  const execute = client.execute.bind(client);
  client.batch = (statements, mode = 'write') => retryBusy(client, () => batch(statements, mode));
  client.execute = (statement: InStatement, args?: InArgs) =>
    retryBusy(client, () =>
      typeof statement === 'string' ? execute(statement, args) : execute(statement),
    );
  return client;
}

async function retryBusy<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || tries >= MAX_TRIES) throw error;
      // A busy error inside a batch leaves the connection unusable until it is opened anew.
      client.reconnect();
      await setPragmas(client);
      await delay(Math.random() * RETRY_BASE_MS * 2 ** tries);
    }
  }
}

function isBusy(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && cause.code.startsWith('SQLITE_BUSY')) return true;
  }
  return false;
}
