import type { Client, ResultSet } from '@libsql/client';
import { createClient, LibsqlError } from '@libsql/client/web';
import { drizzle } from 'drizzle-orm/libsql/web';
import type { Database } from './database.ts';
import {
  createServerFetch,
  READ_TIMEOUT_MS,
  retryBusy,
  type ServerAddress,
} from './server/create-server-fetch.ts';
import type { BoundStatement, WriteBatch } from './server/group-writer.ts';
import { type BatchWriter, createServerWriter } from './server/server-writer.ts';
import type { SqlValue } from './server/sql-value.ts';
import { resultSetOf } from './server/stored-result.ts';

type Written = { sql: string; args: [] };

/**
 * Opens a database on a libSQL server. A read is one round trip with its own client, because a
 * request on a Worker must not wait for I/O of another. Writes go through `writer`, which commits
 * concurrent ones together. Throws DatabaseAway when the server is unreachable, and LibsqlError
 * when it refuses.
 */
export function openRemoteDatabase(
  address: ServerAddress,
  writer: Pick<BatchWriter, 'write'> = createServerWriter(address),
): Database {
  const asks = createServerFetch(READ_TIMEOUT_MS);
  const open = () => createClient({ ...address, fetch: asks });
  const driver = {
    async execute(given: Written): Promise<ResultSet> {
      const statement = wellFormed(given);
      if (isRead(statement)) return retryBusy(() => open().execute(statement));
      const [result] = await write([statement]);
      if (result === undefined) throw new Error('a statement has no result');
      return result;
    },
    batch(given: Written[]): Promise<ResultSet[]> {
      const statements = given.map(wellFormed);
      return statements.every(isRead)
        ? retryBusy(() => open().batch(statements, 'read'))
        : write(statements);
    },
  };

  async function write(batch: WriteBatch): Promise<ResultSet[]> {
    const outcome = await writer.write(batch);
    if ('results' in outcome) return outcome.results.map(resultSetOf);
    throw new LibsqlError(outcome.refused.message, outcome.refused.code);
  }

  return drizzle(driver as unknown as Client);
}

/** A server refuses a request with a lone surrogate, and with it the statements of others. */
function wellFormed({ sql, args }: Written): Written {
  const values: readonly SqlValue[] = args;
  const taken = values.map((value) => (typeof value === 'string' ? value.toWellFormed() : value));
  return { sql, args: taken as Written['args'] };
}

function isRead({ sql }: BoundStatement): boolean {
  return /^\s*select\s/i.test(sql);
}
