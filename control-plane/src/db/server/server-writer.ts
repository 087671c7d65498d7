import { openHttp, parseLibsqlUrl } from '@libsql/hrana-client';
import { DatabaseAway, databaseAway } from '../database-away.ts';
import {
  createServerFetch,
  NoAnswer,
  READ_TIMEOUT_MS,
  retryBusy,
  type ServerAddress,
  WRITE_TIMEOUT_MS,
} from './create-server-fetch.ts';
import { commitGroup } from './commit-group.ts';
import { onlyLarge, storeLarge } from './store-large.ts';
import {
  type BatchOutcome,
  GroupWriter,
  type KnownOutcome,
  type WriteBatch,
} from './group-writer.ts';

/** Age up to which a write proves that writes work; probes are not made more often. */
const PROBE_EVERY_MS = 30_000;

/** Time of the last stored write, epoch milliseconds; `away`: why writes fail now. */
export type WriteState = { lastWriteAtMs: number | null; away: string | null };

/** Stores batches on a server. */
export type BatchWriter = {
  /** Resolves after the commit. Rejects with DatabaseAway when the batch may not be stored. */
  write(batch: WriteBatch): Promise<KnownOutcome>;
  /** Whether writes are stored; makes a write itself if the last one was long ago. */
  probe(): Promise<WriteState>;
};

/** Callbacks for the log when a server stops and resumes storing. */
export type WriterNotes = { away?: (why: string) => void; back?: (awayMs: number) => void };

const PROBE =
  "insert into facts (name, value, updated_at_ms) values ('write_probe', '{}', ?) " +
  'on conflict (name) do update set updated_at_ms = excluded.updated_at_ms';

/**
 * The only writer of a process, one group at a time. After a missing response the server is probed
 * by a read first, because abandoned writes may still wait there and all proceed at once.
 */
export function createServerWriter(address: ServerAddress, notes: WriterNotes = {}): BatchWriter {
  let lastWriteAtMs: number | null = null;
  let away: { why: string; sinceMs: number; hangs: boolean } | null = null;
  let probed: { atMs: number; state: Promise<WriteState> } | null = null;
  const writer = new GroupWriter(commit);
  const reads = createServerFetch(READ_TIMEOUT_MS);

  async function commit(group: readonly WriteBatch[]): Promise<readonly BatchOutcome[]> {
    try {
      if (away?.hangs === true) await read();
      const large = onlyLarge(group);
      const outcomes = await retryBusy(async () => {
        const asks = createServerFetch(WRITE_TIMEOUT_MS);
        if (large !== null) return [await storeLarge(address, asks, large)];
        return commitGroup(open(asks), group);
      });
      if (outcomes.some((outcome) => 'results' in outcome)) noteWritten();
      return outcomes;
    } catch (error) {
      const found = databaseAway(error);
      if (found !== null) noteAway(found);
      throw error;
    }
  }

  function open(asks: (request: Request) => Promise<Response>) {
    const { hranaHttpUrl } = parseLibsqlUrl(address.url);
    return openHttp(hranaHttpUrl ?? address.url, address.authToken, asks);
  }

  async function read(): Promise<void> {
    const stream = open(reads).openStream();
    const answer = stream.queryValue('select 1');
    stream.closeGracefully();
    await answer;
  }

  function noteWritten(): void {
    const nowMs = Date.now();
    lastWriteAtMs = nowMs;
    if (away !== null) notes.back?.(nowMs - away.sinceMs);
    away = null;
  }

  function noteAway(found: DatabaseAway): void {
    const why = found.message;
    if (away === null) notes.away?.(why);
    away = { why, sinceMs: away?.sinceMs ?? Date.now(), hangs: found instanceof NoAnswer };
  }

  async function probeNow(nowMs: number): Promise<WriteState> {
    try {
      await writer.write([{ sql: PROBE, args: [nowMs] }]);
    } catch (error) {
      if (databaseAway(error) === null) throw error;
    }
    return state();
  }

  function state(): WriteState {
    return { lastWriteAtMs, away: away?.why ?? null };
  }

  return {
    write: (batch) => writer.write(batch),
    async probe() {
      const nowMs = Date.now();
      const isRecent = lastWriteAtMs !== null && nowMs - lastWriteAtMs < PROBE_EVERY_MS;
      if (isRecent && away === null) return state();
      if (probed === null || nowMs - probed.atMs >= PROBE_EVERY_MS)
        probed = { atMs: nowMs, state: probeNow(nowMs) };
      await probed.state;
      return state();
    },
  };
}

/** Returns when the last write was stored; throws DatabaseAway when writes fail now. */
export async function requireWrites(writer: Pick<BatchWriter, 'probe'>): Promise<number | null> {
  const { lastWriteAtMs, away } = await writer.probe();
  if (away !== null) throw new DatabaseAway(away);
  return lastWriteAtMs;
}
