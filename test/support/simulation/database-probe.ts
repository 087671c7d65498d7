import type { ResultSet } from '@libsql/client';
import type {
  BoundStatement,
  LibsqlFile,
} from '../../../control-plane/src/platform/node/database/libsql-file.ts';

/** The rows themselves, past every fault of the wire. */
export class DatabaseProbe {
  readonly #file: LibsqlFile;

  constructor(file: LibsqlFile) {
    this.#file = file;
  }

  async execute(query: string | BoundStatement): Promise<ResultSet> {
    return this.#file.run(typeof query === 'string' ? { sql: query, args: [] } : query);
  }
}
