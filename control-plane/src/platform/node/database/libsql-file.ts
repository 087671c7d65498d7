import { LibsqlError, type ResultSet, type Row } from '@libsql/client';
import NativeDatabase from 'libsql';

/** The driver waits for a lock synchronously, which blocks the event loop, so the wait is short. */
const LOCK_WAIT_MS = 200;
/** Limit on cached compiled statements; the service has far fewer, except for value lists. */
const MAX_COMPILED = 500;
const PRAGMAS = [
  'PRAGMA journal_mode=WAL',
  'PRAGMA synchronous=FULL',
  'PRAGMA foreign_keys=ON',
] as const;

const VERSION = {
  sql: 'SELECT total_changes() AS own, data_version AS others FROM pragma_data_version',
  args: [],
};

/** SQL text with its positional values. */
export type BoundStatement = { sql: string; args: readonly unknown[] };

type NativeStatement = {
  readonly reader: boolean;
  raw(on: boolean): unknown;
  columns(): { name: string }[];
  all(args: unknown[]): unknown[];
  run(args: unknown[]): { changes: number };
};
type Compiled = { statement: NativeStatement; rows: RowShape | null };

/**
 * One connection to a libSQL file. Each statement is compiled once; the client library compiles it
 * for every execution and detects by an exception whether it has rows, which costs more than a
 * small write. Every call is synchronous and throws LibsqlError.
 */
export class LibsqlFile {
  readonly #path: string;
  readonly #compiled = new Map<string, Compiled>();
  #native: NativeDatabase.Database | null = null;
  #closed = false;
  /** Connections opened so far: each counts its changes from 0. */
  #connections = 0;

  constructor(path: string) {
    this.#path = path;
    this.#open();
  }

  /** Whether the statement reads or returns rows. */
  hasRows(sql: string): boolean {
    return this.#guarded(() => this.#compile(sql).rows !== null);
  }

  run(statement: BoundStatement): ResultSet {
    return this.#guarded(() => this.#run(statement));
  }

  /** Runs `work` in one transaction that holds the write lock from its beginning. */
  transaction<T>(work: () => T): T {
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  #transaction<T>(begin: string, work: () => T): T {
    return this.#guarded(() => {
      this.#run({ sql: begin, args: [] });
      try {
        const value = work();
        this.#run({ sql: 'COMMIT', args: [] });
        return value;
      } catch (error) {
        if (this.#native?.inTransaction === true) this.#native.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** Runs reads on one consistent state, without the write lock. */
  snapshot(statements: readonly BoundStatement[]): ResultSet[] {
    return this.#transaction('BEGIN', () => statements.map((each) => this.#run(each)));
  }

  /**
   * Changes with every row that this connection changes and with every commit of another process:
   * SQLite counts the former for each connection, the latter in the file.
   */
  rowsVersion(): string {
    return this.#guarded(() => {
      const { rows } = this.#run(VERSION);
      return `${this.#connections}.${Number(rows[0]?.['own'])}.${Number(rows[0]?.['others'])}`;
    });
  }

  close(): void {
    this.#closed = true;
    this.#drop();
  }

  /**
   * Runs `work` and replaces a connection that met a lock, since a half-finished operation would
   * stay in it.
   */
  #guarded<T>(work: () => T): T {
    if (this.#closed) throw new LibsqlError('The database is closed', 'CLIENT_CLOSED');
    try {
      return work();
    } catch (error) {
      const wrapped = libsqlError(error);
      if (wrapped.code.startsWith('SQLITE_BUSY')) this.#drop();
      throw wrapped;
    }
  }

  #open(): NativeDatabase.Database {
    if (this.#native !== null) return this.#native;
    const options = { timeout: LOCK_WAIT_MS };
    this.#native = new NativeDatabase(this.#path, options);
    this.#connections += 1;
    try {
      for (const pragma of PRAGMAS) this.#run({ sql: pragma, args: [] });
    } catch (error) {
      this.#drop();
      throw error;
    }
    return this.#native;
  }

  #drop(): void {
    this.#compiled.clear();
    const native = this.#native;
    this.#native = null;
    native?.close();
  }

  #run({ sql, args }: BoundStatement): ResultSet {
    const { statement, rows } = this.#compile(sql);
    try {
      const values = args.map(toSql);
      if (rows === null) return resultOf([], [], statement.run(values).changes);
      return resultOf(rows.columns, (statement.all(values) as unknown[][]).map(rows.row), 0);
    } catch (error) {
      // The statement is still positioned inside its rows.
      this.#compiled.delete(sql);
      throw error;
    }
  }

  #compile(sql: string): Compiled {
    const known = this.#compiled.get(sql);
    if (known !== undefined) return known;
    const statement = this.#open().prepare(sql) as NativeStatement;
    if (statement.reader) statement.raw(true);
    const names = statement.reader ? statement.columns().map(({ name }) => name) : null;
    const compiled = { statement, rows: names === null ? null : rowShape(names) };
    if (this.#compiled.size >= MAX_COMPILED) this.#compiled.clear();
    this.#compiled.set(sql, compiled);
    return compiled;
  }
}

type RowShape = { columns: string[]; row(values: unknown[]): Row };

/** Rows in the client library's form: values by name, and by index without being enumerable. */
function rowShape(columns: string[]): RowShape {
  const named = [...new Set(columns)].map((name) => [name, columns.indexOf(name)] as const);
  const values = new WeakMap<object, unknown[]>();
  const prototype = Object.defineProperties(
    {},
    Object.fromEntries([
      ['length', { value: columns.length }],
      ...columns.map((_name, place) => [
        place,
        {
          get(this: object) {
            return values.get(this)?.[place];
          },
        },
      ]),
    ]) as PropertyDescriptorMap,
  );
  return {
    columns,
    row(raw) {
      const row = Object.create(prototype) as Record<string, unknown>;
      const own = raw.map(fromSql);
      values.set(row, own);
      for (const [name, place] of named) row[name] = own[place];
      return row as Row;
    },
  };
}

function resultOf(columns: string[], rows: Row[], rowsAffected: number): ResultSet {
  const toJSON = () => ({ columns, rows, rowsAffected });
  return { columns, columnTypes: [], rows, rowsAffected, lastInsertRowid: undefined, toJSON };
}

function toSql(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value)))
    throw new TypeError(`${String(value)} cannot be stored`);
  return value;
}

function fromSql(value: unknown): unknown {
  return value instanceof Buffer
    ? value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength)
    : value;
}

function libsqlError(error: unknown): LibsqlError {
  if (error instanceof LibsqlError) return error;
  if (!(error instanceof Error)) return new LibsqlError(String(error), 'UNKNOWN');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN';
  return new LibsqlError(error.message, code, undefined, undefined, error);
}
