import type { Database } from '../../../control-plane/src/db/database.ts';

export type Fault = 'none' | 'writes' | 'everything';

/** A database that fails as a broken disk would, as long as the test wants it to. */
export function createFailingDatabase(): {
  wrap: (db: Database) => Database;
  fail: (fault: Fault) => void;
} {
  let fault: Fault = 'none';
  const broken = (method: string | symbol) =>
    fault === 'everything' || (fault === 'writes' && method === 'batch');
  return {
    fail: (next) => void (fault = next),
    wrap: (db) =>
      new Proxy(db, {
        get(target, method, receiver) {
          const value: unknown = Reflect.get(target, method, receiver);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            // The first statements of a batch are built before it is sent: only sending fails.
            if (broken(method)) throw new Error('SQLITE_IOERR: disk I/O error');
            return Reflect.apply(value, target, args) as unknown;
          };
        },
      }),
  };
}
