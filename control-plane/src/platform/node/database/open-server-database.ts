import { messageOf } from '@switchyard/shared/message-of';
import { someCauseSays } from '@switchyard/shared/causes-of';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@libsql/client/web';
import { drizzle } from 'drizzle-orm/libsql/web';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { openRemoteDatabase } from '../../../db/open-remote-database.ts';
import type { ServerAddress } from '../../../db/server/create-server-fetch.ts';
import { createServerWriter, type WriterNotes } from '../../../db/server/server-writer.ts';
import {
  type MigrationState,
  readMigrationState,
  requireKnownMigrations,
} from '../backup/migration-state.ts';
import type { OpenDatabase } from './open-database.ts';

/** A server that starts together with this process answers within this time. */
const ANSWER_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 15_000;
const RETRY_MS = 500;
const MAX_MIGRATION_TRIES = 8;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The libSQL server from `SERVICE_DATABASE_URL` and `SERVICE_DATABASE_TOKEN`; null when the
 * database is a file in the data folder. Throws for an invalid address or one that contains a
 * token.
 */
export function databaseServer(variables: Variables): ServerAddress | null {
  const url = variables['SERVICE_DATABASE_URL'] ?? '';
  if (url === '') return null;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^(https?|libsql):$/.test(parsed.protocol)) {
    throw new Error(
      'SERVICE_DATABASE_URL is no http, https or libsql address; leave it out to keep the database in a file',
    );
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '') {
    throw new Error('SERVICE_DATABASE_URL must hold no token: give it as SERVICE_DATABASE_TOKEN');
  }
  const authToken = variables['SERVICE_DATABASE_TOKEN'] ?? '';
  return authToken === '' ? { url } : { url, authToken };
}

/**
 * Opens the database on a libSQL server and migrates it to the newest version. Waits for a server
 * that does not answer yet. Throws, with advice, when it stays unreachable, refuses the token, or
 * has the database of another version.
 */
export async function openServerDatabase(
  server: ServerAddress,
  migrationsFolder: string,
  answerTimeoutMs: number = ANSWER_TIMEOUT_MS,
  notes: WriterNotes = {},
): Promise<OpenDatabase & { former: MigrationState }> {
  const client = createClient({ ...server, fetch: fetchWithTimeout });
  let former: MigrationState;
  try {
    former = await whenUp(server, answerTimeoutMs, () =>
      readMigrationState((sql) => client.execute(sql), migrationsFolder),
    );
    requireKnownMigrations(former, `the database at ${server.url}`);
    await migrateTogether(() => migrate(drizzle(client), { migrationsFolder }));
  } finally {
    client.close();
  }
  const writer = createServerWriter(server, notes);
  return { db: openRemoteDatabase(server, writer), writes: writer, close: () => {}, former };
}

async function whenUp<T>(
  { url }: ServerAddress,
  timeoutMs: number,
  ask: () => Promise<T>,
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (someCauseSays(error, /\b40[13]\b/)) {
        throw new Error(
          `the libSQL server at ${url} refuses the token: set SERVICE_DATABASE_TOKEN to one that may write`,
          { cause: error },
        );
      }
      if (performance.now() >= endMs) {
        const why = messageOf(error);
        throw new Error(
          `the libSQL server at ${url} does not answer (${why}): start it, or correct SERVICE_DATABASE_URL`,
          { cause: error },
        );
      }
      await delay(RETRY_MS);
    }
  }
}

/** Runs the migration; another process may do the same, and the second one checks again. */
async function migrateTogether(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= MAX_MIGRATION_TRIES) throw error;
      await delay(Math.random() * RETRY_MS);
    }
  }
}

function fetchWithTimeout(request: Request): Promise<Response> {
  return fetch(request, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
}
