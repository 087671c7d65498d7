import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { openDatabase } from '../../control-plane/src/platform/node/database/open-database.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';

const COLUMNS = 'first_seq, last_seq, attempt_id, epoch, from_runner_seq, at_ms, items';

/** A row of `event_chunks` as it is stored, in the order of its columns. */
export type ChunkRow = {
  first_seq: number;
  last_seq: number;
  attempt_id: string | null;
  epoch: number | null;
  from_runner_seq: number | null;
  at_ms: number;
  items: string;
};

/** The chunks of runners' events that a control plane has stored after an event. */
export async function storedChunks(dataDir: string, afterSeq: number): Promise<ChunkRow[]> {
  const client = createClient({ url: `file:${join(dataDir, 'switchyard.db')}` });
  try {
    const { rows } = await client.execute({
      sql: `select ${COLUMNS} from event_chunks
        where first_seq > ? and from_runner_seq is not null order by first_seq`,
      args: [afterSeq],
    });
    return rows.map((row) => ({ ...row }) as unknown as ChunkRow);
  } finally {
    client.close();
  }
}

/** The same events in rows of at most `events`: what one commit for each frame would store. */
export function splitChunks(rows: readonly ChunkRow[], events: number): ChunkRow[] {
  return rows.flatMap((row) => {
    const items = JSON.parse(row.items) as unknown[];
    return Array.from({ length: Math.ceil(items.length / events) }, (_, index) => {
      const part = items.slice(index * events, (index + 1) * events);
      const first_seq = row.first_seq + index * events;
      const last_seq = first_seq + part.length - 1;
      return { ...row, first_seq, last_seq, items: JSON.stringify(part) };
    });
  });
}

export type RawDatabase = {
  /** Inserts the rows, one batch and so one commit for each. */
  insert(rows: readonly ChunkRow[]): Promise<{ ms: number; cpuMs: number }>;
  close(): void;
};

/** An empty database with the product's schema and pragmas beside the control plane's own. */
export async function openRawDatabase(dataDir: string, name: string): Promise<RawDatabase> {
  const path = join(dataDir, `${name}.db`);
  (await openDatabase(path, MIGRATIONS)).close();
  const client: Client = createClient({ url: `file:${path}`, concurrency: 1 });
  await client.execute('PRAGMA journal_mode=WAL');
  await client.execute('PRAGMA synchronous=FULL');
  await client.execute('PRAGMA foreign_keys=ON');
  const sql = `insert into event_chunks (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`;
  return {
    async insert(rows) {
      const values = rows.map((row) => [
        row.first_seq,
        row.last_seq,
        row.attempt_id,
        row.epoch,
        row.from_runner_seq,
        row.at_ms,
        row.items,
      ]);
      const startedAtMs = performance.now();
      const before = process.cpuUsage();
      for (const args of values) await client.batch([{ sql, args }], 'write');
      const { user, system } = process.cpuUsage(before);
      return { ms: performance.now() - startedAtMs, cpuMs: (user + system) / 1_000 };
    },
    close: () => client.close(),
  };
}
