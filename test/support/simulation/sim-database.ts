import type { Client, ResultSet } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import type { Database } from '../../../control-plane/src/db/database.ts';
import {
  type BoundStatement,
  LibsqlFile,
} from '../../../control-plane/src/platform/node/database/libsql-file.ts';
import { DatabaseProbe } from './database-probe.ts';
import type { Random } from './random.ts';
import type { SimHost } from './sim-host.ts';

/** How one instance's way to its database behaves now. */
export type DatabaseFaults = {
  /** Probability that a call fails before it reached the database. */
  failBefore: number;
  /** Probability that a call was done and its answer is lost. */
  failAfter: number;
  /** Longest wait before and after a call; 0 none. */
  maxDelayMs: number;
};

export const HEALTHY: DatabaseFaults = { failBefore: 0, failAfter: 0, maxDelayMs: 0 };

export type SimDatabaseOptions = {
  path: string;
  host: SimHost;
  random: Random;
  faults: () => DatabaseFaults;
  /** Told after every commit, in the same instant. */
  committed: (statements: BoundStatement[]) => void;
  /** A safety rule that lives in a statement, taken out or changed. */
  rewrite?: (statement: BoundStatement) => BoundStatement;
  /** A batch that is answered before it is committed. */
  answersEarly?: (statements: BoundStatement[]) => boolean;
};

/** A real libSQL file behind a wire that delays, fails and forgets, and that dies with its process. */
export class SimDatabase {
  readonly db: Database;
  /** Looks at the file without any fault. */
  readonly look: DatabaseProbe;
  readonly #options: SimDatabaseOptions;
  readonly #file: LibsqlFile;
  #alive = true;

  constructor(options: SimDatabaseOptions) {
    this.#options = options;
    this.#file = new LibsqlFile(options.path);
    this.look = new DatabaseProbe(this.#file);
    this.db = drizzle(this.#wire());
  }

  /** The process is gone: nothing it still wants is done, and nobody hears an answer. */
  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#file.close();
  }

  /** The two calls that drizzle makes of a driver. */
  #wire(): Client {
    const file = this.#file;
    const driver = {
      execute: (statement: BoundStatement) => {
        const bound = this.#bind(statement);
        return this.#call([bound], async () => file.run(bound));
      },
      batch: (statements: BoundStatement[]) => {
        const bound = statements.map((statement) => this.#bind(statement));
        return this.#batch(bound, async () =>
          file.transaction(() => bound.map((statement) => file.run(statement))),
        );
      },
    };
    return driver as unknown as Client;
  }

  #bind({ sql, args }: BoundStatement): BoundStatement {
    const bound = { sql, args: [...args] };
    return this.#options.rewrite?.(bound) ?? bound;
  }

  async #batch(
    statements: BoundStatement[],
    run: () => Promise<ResultSet[]>,
  ): Promise<ResultSet[]> {
    if (this.#options.answersEarly?.(statements) !== true) return this.#call(statements, run);
    this.#options.host.after(20, () => {
      if (this.#alive) this.#call(statements, run).catch(() => undefined);
    });
    return [];
  }

  async #call<T>(statements: BoundStatement[], run: () => Promise<T>): Promise<T> {
    const { random, faults } = this.#options;
    const { failBefore, failAfter } = faults();
    await this.#wait();
    if (failBefore > 0 && random.chance(failBefore))
      throw new Error('SQLITE_IOERR: disk I/O error');
    const result = await run();
    this.#options.committed(statements);
    await this.#wait();
    if (failAfter > 0 && random.chance(failAfter))
      throw new Error('SQLITE_IOERR: the answer was lost');
    return result;
  }

  async #wait(): Promise<void> {
    const { random, faults, host } = this.#options;
    const { maxDelayMs } = faults();
    const longest = maxDelayMs > 0 ? maxDelayMs : random.chance(0.1) ? 6 : 0;
    if (longest > 0)
      await new Promise<void>((resolve) => host.after(random.int(0, longest), resolve));
    // A dead process waits for ever.
    if (!this.#alive) await new Promise<never>(() => undefined);
  }
}
