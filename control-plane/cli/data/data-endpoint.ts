import { messageOf } from '@switchyard/shared/message-of';
import { causesOf } from '@switchyard/shared/causes-of';
import { type Client, createClient, type InStatement, type ResultSet } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';

/** Long enough for a page of 1 MiB over a slow connection. */
const REQUEST_TIMEOUT_MS = 60_000;
const LOCK_WAIT_MS = 200;
const MAX_TRIES = 5;
const RETRY_BASE_MS = 250;

/** One side of a transfer: a database file, or a libSQL server. */
export class DataEndpoint {
  /** Name for people; contains no token. */
  readonly name: string;
  readonly isRemote: boolean;
  /** Database for the queries of features, such as the check of the audit chain. */
  readonly db: Database;
  readonly #client: Client;
  /**
   * A client that returns whole numbers as bigint, which distinguishes them from numbers stored as
   * real.
   */
  readonly #exact: Client;

  /**
   * Connects to one side. `url`: `file:`, `http:`, `https:` or `libsql:`; `token` is for the last
   * three.
   */
  constructor(url: string, token?: string) {
    const options = {
      url,
      concurrency: 1,
      timeout: LOCK_WAIT_MS,
      fetch: fetchWithTimeout,
      ...(token === undefined ? {} : { authToken: token }),
    };
    this.name = url.replace(/^file:/, '');
    this.isRemote = !url.startsWith('file:');
    this.#client = createClient(options);
    this.#exact = createClient({ ...options, intMode: 'bigint' });
    this.db = drizzle(this.#client);
  }

  /** The client that migrations use. */
  get migratable() {
    return drizzle(this.#client);
  }

  /** Reads, and retries while the server is unreachable. */
  async read(sql: string, args: Values = []): Promise<ResultSet> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#exact.execute({ sql, args: [...args] });
      } catch (error) {
        if (tries >= MAX_TRIES || !isTransient(error)) throw this.#explained(error);
        await delay(RETRY_BASE_MS * 2 ** tries);
      }
    }
  }

  /**
   * Runs one transaction. Not retried: after a lost response it is unknown whether the write took
   * effect.
   */
  async write(statements: InStatement[]): Promise<ResultSet[]> {
    try {
      return await this.#exact.batch(statements, 'write');
    } catch (error) {
      throw this.#explained(error);
    }
  }

  close(): void {
    this.#client.close();
    this.#exact.close();
  }

  #explained(error: unknown): Error {
    const why = messageOf(error);
    const hint = /\b401\b/.test(why) ? ': the token is missing or wrong' : '';
    return new Error(`${this.name}: ${why}${hint}`, { cause: error });
  }
}

type Values = readonly (string | number | bigint)[];

/** Whether the same request may succeed a moment later. */
export function isTransient(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      cause.name === 'TimeoutError' ||
      /fetch failed|HTTP status (429|5\d\d)/.test(cause.message) ||
      ('code' in cause && /^(SQLITE_BUSY|ECONN|EPIPE|UND_ERR)/.test(String(cause.code))),
  );
}

function fetchWithTimeout(
  input: Parameters<typeof fetch>[0],
  init?: RequestInit,
): Promise<Response> {
  return fetch(input, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
}
