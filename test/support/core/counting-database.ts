import { SQLiteSelectBase } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../../control-plane/src/db/database.ts';

export type RoundTrips = { reads: number; writes: number };

const SINGLE_READS = new Set(['select', 'get', 'all']);
const SINGLE_WRITES = new Set(['insert', 'update', 'delete', 'run']);

/** A database that counts how often it is gone to: a batch is one round trip, whatever is in it. */
export function countRoundTrips(db: Database): { db: Database; taken(): RoundTrips } {
  const counted: RoundTrips = { reads: 0, writes: 0 };
  const onlyReads = (item: unknown) => item instanceof SQLiteSelectBase;
  const proxy = new Proxy(db, {
    get(target, method, receiver) {
      const value: unknown = Reflect.get(target, method, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const name = String(method);
        if (SINGLE_READS.has(name)) counted.reads += 1;
        if (SINGLE_WRITES.has(name)) counted.writes += 1;
        if (name === 'batch') {
          // Statements were counted when they were built; together they are one.
          for (const item of args[0] as { config?: { action?: string } }[]) {
            if (onlyReads(item) || item.config?.action === 'all') counted.reads -= 1;
            else counted.writes -= 1;
          }
          if ((args[0] as unknown[]).every(onlyReads)) counted.reads += 1;
          else counted.writes += 1;
        }
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  return {
    db: proxy,
    taken() {
      const taken = { ...counted };
      counted.reads = 0;
      counted.writes = 0;
      return taken;
    },
  };
}
