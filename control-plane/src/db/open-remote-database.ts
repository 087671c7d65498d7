import type { Client, InStatement } from '@libsql/client';
import { createClient, LibsqlError } from '@libsql/client/web';
import { drizzle } from 'drizzle-orm/libsql/web';
import type { Database } from './database.ts';

const REQUEST_TIMEOUT_MS = 15_000;
/** With their waits some 3.5 s at most: a server of many writers gives way well within that. */
const MAX_TRIES = 8;
const RETRY_BASE_MS = 25;
const MAX_WAIT_MS = 1_000;

/**
 * The rows on a libSQL server. Every call is one round trip: a statement, or a batch that begins in
 * write mode. Each opens a client of its own, because what one request began on a Worker must never
 * be waited for by another. A busy server is tried again with jitter; nothing else is, since a
 * write whose answer was lost may have happened.
 */
export function openRemoteDatabase(given: { url: string; authToken?: string }): Database {
  const open = () => createClient({ ...given, fetch: fetchWithTimeout });
  const driver = {
    execute: (statement: InStatement) => retryBusy(() => open().execute(statement)),
    batch: (statements: { sql: string; args: [] }[]) =>
      retryBusy(() => open().batch(statements, statements.every(isRead) ? 'read' : 'write')),
  };
  return drizzle(driver as unknown as Client);
}

function isRead({ sql }: { sql: string }): boolean {
  return sql.startsWith('select ');
}

/** The timer ends with the answer: one that is left would keep its object from sleeping. */
async function fetchWithTimeout(request: Request): Promise<Response> {
  const stop = new AbortController();
  const timer = setTimeout(
    () => stop.abort(new Error(`no answer within ${REQUEST_TIMEOUT_MS} ms`)),
    REQUEST_TIMEOUT_MS,
  );
  try {
    const answer = await fetch(request, { signal: stop.signal });
    return new Response(await answer.arrayBuffer(), answer);
  } finally {
    clearTimeout(timer);
  }
}

async function retryBusy<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const busy = error instanceof LibsqlError && error.code.startsWith('SQLITE_BUSY');
      if (!busy || tries >= MAX_TRIES) throw error;
      const waitMs = Math.random() * Math.min(RETRY_BASE_MS * 2 ** tries, MAX_WAIT_MS);
      await new Promise<void>((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
