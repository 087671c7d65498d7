import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { openDatabase } from '../../control-plane/src/platform/node/open-database.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';

const COLUMNS = 'first_seq, last_seq, attempt_id, epoch, from_runner_seq, at_ms, items';

/** A row of `event_chunks` as it is stored. */
export type ChunkRow = readonly (string | number | null)[];

/** The newest `count` chunks that a control plane has stored in its data folder. */
export async function storedChunks(dataDir: string, count: number): Promise<ChunkRow[]> {
  const client = createClient({ url: `file:${join(dataDir, 'switchyard.db')}` });
  try {
    const { rows } = await client.execute(
      `select ${COLUMNS} from event_chunks order by first_seq desc limit ${count}`,
    );
    const values = rows.map((row) => Array.from(row) as (string | number | null)[]);
    return values.toReversed();
  } finally {
    client.close();
  }
}

export type RawDatabase = {
  /** Inserts the rows, one batch and so one commit for each. */
  insert(rows: readonly ChunkRow[]): Promise<{ ms: number; cpuMs: number }>;
  close(): void;
};

/** An empty database with the product's schema and pragmas beside the control plane's own. */
export async function openRawDatabase(dataDir: string): Promise<RawDatabase> {
  const path = join(dataDir, 'raw.db');
  (await openDatabase(path, MIGRATIONS)).close();
  const client: Client = createClient({ url: `file:${path}`, concurrency: 1 });
  await client.execute('PRAGMA journal_mode=WAL');
  await client.execute('PRAGMA synchronous=FULL');
  await client.execute('PRAGMA foreign_keys=ON');
  const sql = `insert into event_chunks (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`;
  return {
    async insert(rows) {
      const startedAtMs = performance.now();
      const before = process.cpuUsage();
      for (const row of rows) await client.batch([{ sql, args: [...row] }], 'write');
      const { user, system } = process.cpuUsage(before);
      return { ms: performance.now() - startedAtMs, cpuMs: (user + system) / 1_000 };
    },
    close: () => client.close(),
  };
}
