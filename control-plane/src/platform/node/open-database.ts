import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, type InArgs, type InStatement } from '@libsql/client';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
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
  const retry = retryBusy(client);
  await retry(() => setPragmas(client.execute.bind(client)));
  const db = drizzle(withRetries(client, retry));
  await migrateTogether(db, migrationsFolder);
  return { db, close: () => client.close() };
}

/**
 * Another process may migrate the same file at the same moment. The step is one transaction and looks
 * first at what is there, so the one that comes second only has to look again.
 */
async function migrateTogether(db: LibSQLDatabase, migrationsFolder: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrate(db, { migrationsFolder });
    } catch (error) {
      if (tries >= MAX_TRIES || !hasCode(error, 'SQLITE_')) throw error;
      await delay(Math.random() * RETRY_BASE_MS * 2 ** tries);
    }
  }
}

async function setPragmas(execute: (statement: string) => Promise<unknown>): Promise<void> {
  await execute('PRAGMA journal_mode=WAL');
  await execute('PRAGMA synchronous=FULL');
  await execute('PRAGMA foreign_keys=ON');
}

type Retry = <T>(work: () => Promise<T>) => Promise<T>;

/** The same client with `execute` and `batch` that survive a busy database. */
function withRetries(client: Client, retry: Retry): Client {
  const batch = client.batch.bind(client);
  const execute = client.execute.bind(client);
  client.batch = (statements, mode = 'write') => retry(() => batch(statements, mode));
  client.execute = (statement: InStatement, args?: InArgs) =>
    retry(() => (typeof statement === 'string' ? execute(statement, args) : execute(statement)));
  return client;
}

/**
 * Tries again with jitter while the database is busy. A busy error inside a batch leaves the
 * connection unusable, so it is opened anew; whoever is cut off by that has not begun yet.
 */
function retryBusy(client: Client): Retry {
  const execute = client.execute.bind(client) as (statement: string) => Promise<unknown>;
  return async (work) => {
    let reopen = false;
    for (let tries = 1; ; tries += 1) {
      try {
        if (reopen) {
          client.reconnect();
          await setPragmas(execute);
        }
        return await work();
      } catch (error) {
        const cut = hasCode(error, 'CLIENT_CLOSED') && !client.closed;
        const busy = hasCode(error, 'SQLITE_BUSY');
        if ((!cut && !busy) || tries >= MAX_TRIES) throw error;
        reopen = busy;
        await delay(Math.random() * RETRY_BASE_MS * 2 ** tries);
      }
    }
  };
}

function hasCode(error: unknown, prefix: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && cause.code.startsWith(prefix))
      return true;
  }
  return false;
}
