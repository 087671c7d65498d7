import { LibsqlError, type ResultSet } from '@libsql/client';
import type { BoundStatement, LibsqlFile } from './libsql-file.ts';

/** Batches that share a commit at most; the event loop stands still meanwhile. */
const MAX_BATCHES = 64;

type Waiting = {
  statements: readonly BoundStatement[];
  done(results: ResultSet[]): void;
  failed(error: unknown): void;
};

/**
 * Commits what came in the same turn of the event loop together: a commit waits for the disk, and
 * runners send at the same time. Each batch still stands or falls alone: when one of a group
 * fails, the group is rolled back and every batch is done for itself, in the same order.
 */
export class GroupCommit {
  readonly #file: LibsqlFile;
  readonly #waiting: Waiting[] = [];

  constructor(file: LibsqlFile) {
    this.#file = file;
  }

  /** Resolves after the commit. Rejects with LibsqlError; then nothing of the batch was stored. */
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
      // Each further try would stand still for as long: whoever asked tries again later.
      if (isBusy(why)) return group.forEach(({ failed }) => failed(why));
    }
    for (const each of group) this.#alone(each);
  }

  /** Null once all are stored; otherwise none is. */
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
