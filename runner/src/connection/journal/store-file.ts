import Database from 'libsql';

/** How long a writer of another process is awaited; this blocks the event loop. */
const LOCK_TIMEOUT_MS = 250;
/** Format of this version; a later version that changes tables uses a higher number. */
const FORMAT = 1;

type Value = string | number | null;
type Row = Readonly<Record<string, unknown>>;

type Options = {
  /** Statements that create missing tables. */
  schema: string;
  /**
   * Opening fails while another process has the file open, and others are locked out until `close`.
   */
  exclusive: boolean;
  /** `full` survives a power cut, `normal` only the end of this process. */
  synchronous: 'full' | 'normal';
};

/** Another process has the file open. */
export class StoreLocked extends Error {
  constructor(path: string, cause: unknown) {
    super(`another process uses ${path}`, { cause });
    this.name = 'StoreLocked';
  }
}

/** The file cannot be used; the message says why and gives advice. */
export class StoreUnusable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreUnusable';
  }
}

/**
 * A libSQL file (SQLite format) in WAL mode with synchronous access. Each statement is compiled
 * once, because the driver frees statements only on garbage collection.
 */
export class StoreFile {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  #isExclusive = false;

  /** Opens or creates the file; `:memory:` for one that ends with this process. */
  constructor(path: string, { schema, exclusive, synchronous }: Options) {
    this.#db = openFile(path);
    try {
      // Checked before anything is changed, since a newer version may have written the file.
      const format = this.#knownFormat(path);
      if (exclusive) {
        this.#isExclusive = true;
        this.#db.exec('pragma locking_mode = exclusive');
      }
      this.#db.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous};`);
      this.#db.exec(schema);
      if (format < FORMAT) this.#db.exec(`pragma user_version = ${FORMAT}`);
      if (exclusive) this.#db.exec('begin immediate; commit;');
    } catch (error) {
      if (this.#isExclusive) this.#release();
      this.#db.close();
      throw explained(path, error);
    }
  }

  #knownFormat(path: string): number {
    const format = Number(this.get('pragma user_version')?.['user_version'] ?? 0);
    if (format <= FORMAT) return format;
    throw new StoreUnusable(
      `a newer Switchyard wrote ${path} (format ${format}, this version knows ${FORMAT}); ` +
        'run that version, or give this one another folder with --data-dir',
    );
  }

  /** Runs a statement without result rows; returns the number of changed rows. */
  run(sql: string, ...values: Value[]): number {
    return this.#with(sql, (statement) => statement.run(values).changes);
  }

  /** The first row, or undefined. */
  get(sql: string, ...values: Value[]): Row | undefined {
    return this.all(sql, ...values)[0];
  }

  /**
   * All rows: an unfinished statement would keep its snapshot of the file, and old pages with it.
   */
  all(sql: string, ...values: Value[]): Row[] {
    return this.#with(sql, (statement) => statement.all(values) as Row[]);
  }

  /** Runs `work` in one transaction that holds the write lock from its beginning. */
  transaction<T>(work: () => T): T {
    this.#db.exec('begin immediate');
    try {
      const value = work();
      this.#db.exec('commit');
      return value;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('rollback');
      throw error;
    }
  }

  /** Merges the WAL into the file and unlocks it for other processes. */
  close(): void {
    this.#statements.clear();
    this.#release();
    this.#db.close();
  }

  /**
   * Releases exclusive locks: with compiled statements the driver's close waits for garbage
   * collection. Such locks end only outside of WAL mode, with the next read.
   */
  #release(): void {
    const steps = this.#isExclusive
      ? ['journal_mode = delete', 'locking_mode = normal', 'user_version']
      : ['wal_checkpoint(truncate)'];
    for (const step of steps) {
      try {
        this.#db.exec(`pragma ${step}`);
      } catch {
        // On a full disk, or with another reader, the next process that opens the file reads its
        // WAL.
      }
    }
  }

  #with<T>(sql: string, use: (statement: Database.Statement) => T): T {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    try {
      return use(statement);
    } catch (error) {
      // The statement is still positioned inside its rows.
      this.#statements.delete(sql);
      throw error;
    }
  }
}

function openFile(path: string): Database.Database {
  try {
    return new Database(path, { timeout: LOCK_TIMEOUT_MS });
  } catch (error) {
    throw explained(path, error);
  }
}

/** Adds advice, because the driver's message contains only codes. */
function explained(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnusable) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return new StoreLocked(path, error);
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return new StoreUnusable(
      `${path} is damaged (${error.message}); move it and ${path}-wal away and start again: ` +
        'the control plane then gives the work that it named to a runner again',
      error,
    );
  }
  if (
    /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM)/.test(code) ||
    /ConnectionFailed/.test(error.message)
  ) {
    return new StoreUnusable(
      `${path} cannot be opened for writing (${code === '' ? 'the file or its folder refuses it' : error.message}); ` +
        'check its permissions and the space on its disk, or choose another folder with --data-dir',
      error,
    );
  }
  return error;
}
