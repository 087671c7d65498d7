import type { BatchItem } from 'drizzle-orm/batch';
import type { LibSQLDatabase } from 'drizzle-orm/libsql';

/**
 * The only access to rows. `batch` is atomic and begins in write mode; there is no interactive
 * transaction, because libSQL's breaks when two overlap. A platform wraps this port with retries.
 */
export type Database = Pick<
  LibSQLDatabase<Record<string, never>>,
  'select' | 'insert' | 'update' | 'delete' | 'run' | 'all' | 'get' | 'batch'
> & {
  /**
   * Changes after every change of a row by any writer, and may change without one. Left out where
   * only a round trip would tell.
   */
  rowsVersion?: () => string;
  /** Notifies the event streams that rows were stored; left out where there are none. */
  notify?: () => void;
  /** Whether reads block this process, so that long ones are split into pieces. */
  blocks?: boolean;
};

export type Statement = BatchItem<'sqlite'>;
