import { LibsqlError, type ResultSet } from '@libsql/client';
import type { BoundStatement, LibsqlFile } from './libsql-file.ts';

/** Batches in one commit, which blocks the event loop. */
const MAX_BATCHES = 64;

type Waiting = {
  statements: readonly BoundStatement[];
  done(results: ResultSet[]): void;
  failed(error: unknown): void;
};

/**
 * Commits batches of the same turn of the event loop together: a commit waits for the disk, and
 * runners send concurrently. Each batch still succeeds or fails on its own: when one of a group
 * fails, the group is rolled back and the batches are run one by one in order.
 */
export class GroupCommit {
  readonly #file: LibsqlFile;
  readonly #waiting: Waiting[] = [];

  constructor(file: LibsqlFile) {
    this.#file = file;
  }

  /** Resolves after the commit. Rejects with LibsqlError, and nothing of the batch is stored. */
  batch(statements: readonly BoundStatement[]): Promise<ResultSet[]> {
    return new Promise((done, failed) => {
      this.#waiting.push({ statements, done, failed });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const group = this.#waiting.splice(0, MAX_BATCHES);
    if (this.#waiting.length > 0) setImmediate(() => this.#flush());
    if (group.length > 1) {
      const why = this.#together(group);
      if (why === null) return;
      // Each further try would block as long, so the callers retry later.
      if (isBusy(why)) return group.forEach(({ failed }) => failed(why));
    }
    for (const each of group) this.#alone(each);
  }

  /** Commits all batches at once; returns null, or the error after which none is stored. */
  #together(group: readonly Waiting[]): unknown {
    try {
      const results = this.#file.transaction(() =>
        group.map(({ statements }) => statements.map((statement) => this.#file.run(statement))),
      );
      for (const [index, { done }] of group.entries()) done(results[index] ?? []);
      return null;
    } catch (error) {
      return error;
    }
  }

  #alone({ statements, done, failed }: Waiting): void {
    try {
      done(this.#file.transaction(() => statements.map((statement) => this.#file.run(statement))));
    } catch (error) {
      failed(error);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof LibsqlError && error.code.startsWith('SQLITE_BUSY');
}
