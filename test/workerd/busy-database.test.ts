import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { databaseAway } from '../../control-plane/src/db/database-away.ts';
import { openRemoteDatabase } from '../../control-plane/src/db/open-remote-database.ts';

const MAX_TRIES = 8;
const EMPTY = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A libSQL server that fails with `code` the first `times` times, and counts what it is asked. */
async function serverThatFails(code: string, times: number) {
  let asked = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { requests } = JSON.parse(await text(request)) as { requests: { type: string }[] };
    asked += 1;
    const results = requests.map(({ type }) => answerTo(type, asked <= times ? code : null));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ baton: null, base_url: null, results }));
  };
  const { url } = await listen((request, response) => void answer(request, response));
  return { db: openRemoteDatabase({ url }), asked: () => asked };
}

async function listen(answer: RequestListener): Promise<{ url: string }> {
  const started = createServer(answer);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}` };
}

/** A busy server refuses to begin a batch; a statement of its own is refused as a whole. */
function answerTo(type: string, code: string | null): unknown {
  const error = code === null ? null : { message: 'database is locked', code };
  if (type === 'execute' && error !== null) return { type: 'error', error };
  if (type === 'execute') return { type: 'ok', response: { type, result: EMPTY } };
  if (type !== 'batch') return { type: 'ok', response: { type } };
  // Begin, one statement, commit; the fourth would roll back.
  const done = error === null ? EMPTY : null;
  const result = {
    step_results: [done, done, done, null],
    step_errors: [error, null, null, null],
  };
  return { type: 'ok', response: { type, result } };
}

describe('a libSQL server that says no', () => {
  const statement = sql`delete from facts`;

  it('is asked again while it is busy', async () => {
    const { db, asked } = await serverThatFails('SQLITE_BUSY', 2);
    await db.batch([db.run(statement)]);
    expect(asked()).toBe(3);
    await db.run(statement);
    expect(asked()).toBe(4);
  });

  it('is asked no more when it stays busy', async () => {
    const { db, asked } = await serverThatFails('SQLITE_BUSY', Number.POSITIVE_INFINITY);
    await expect(db.run(statement)).rejects.toThrow();
    expect(asked()).toBe(MAX_TRIES);
    await expect(db.batch([db.run(statement)])).rejects.toThrow();
    expect(asked()).toBe(2 * MAX_TRIES);
  });

  it('is away when it stays busy or cannot be reached, and says so', async () => {
    const { db } = await serverThatFails('SQLITE_BUSY', Number.POSITIVE_INFINITY);
    const busy = await db.run(statement).catch(databaseAway);
    expect(busy).toMatchObject({ message: 'another writer holds its lock' });
    server?.closeAllConnections();
    server?.close();
    const gone = await db.batch([db.run(statement)]).catch(databaseAway);
    expect(gone).toMatchObject({ message: 'it cannot be reached' });
  });

  it.each([
    [429, MAX_TRIES, 'it takes no more requests now (HTTP 429)'],
    [502, 1, 'it answers HTTP 502'],
    [401, 1, 'it refuses the token (HTTP 401)'],
  ])('is away when it answers HTTP %i', async (status, tries, why) => {
    let asked = 0;
    const { url } = await listen((_request, response) => {
      asked += 1;
      response.writeHead(status).end('no');
    });
    const away = await openRemoteDatabase({ url }).run(statement).catch(databaseAway);
    expect([away, asked]).toMatchObject([{ message: why }, tries]);
  });

  it('is not asked again after another failure: the write may have happened', async () => {
    const { db, asked } = await serverThatFails('SQLITE_IOERR', Number.POSITIVE_INFINITY);
    await expect(db.batch([db.run(statement)])).rejects.toThrow();
    expect(asked()).toBe(1);
  });
});
