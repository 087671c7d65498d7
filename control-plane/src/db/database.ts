import type { BatchItem } from 'drizzle-orm/batch';
import type { LibSQLDatabase } from 'drizzle-orm/libsql';

/**
 * The one way to the rows. `batch` is atomic and begins in write mode; there is no interactive
 * transaction, because libSQL's breaks when two overlap. A platform wraps this port with retries.
 */
export type Database = Pick<
  LibSQLDatabase<Record<string, never>>,
  'select' | 'insert' | 'update' | 'delete' | 'run' | 'all' | 'get' | 'batch'
> & {
  /**
   * Another text after every change of a row, whoever made it; may differ without one. Left out where
   * only a round trip would tell.
   */
  rowsVersion?: () => string;
  /** Whether reading stands in the way of everything else in this process: long reads go in pieces. */
  blocks?: boolean;
};

export type Statement = BatchItem<'sqlite'>;
