import { EMPTY_DIGEST, extendDigest } from '@switchyard/shared/protocol/extend-digest';
import { and, eq } from 'drizzle-orm';
import { commitSteps, expectRowsAffected } from '../../control-plane/src/db/commit-steps.ts';
import type { Database } from '../../control-plane/src/db/database.ts';
import { openRemoteDatabase } from '../../control-plane/src/db/open-remote-database.ts';
import { runners } from '../../control-plane/src/db/schema/runners/runners.ts';
import { appendEvents } from '../../control-plane/src/observe/events/append-events.ts';
import { eventsMessage, note, numbered } from '../support/core/scripted-runner.ts';
import { type SocketLine, SocketRunner } from '../support/core/socket-runner.ts';
import type { Sqld } from '../support/sqld/start-sqld.ts';
import type { EdgeDev } from '../support/workerd/edge-dev.ts';
import { runtimeCpuMs } from './runtime-cpu-ms.ts';

const RUNNERS = 16;
const SECONDS = 8;
const ONE_WRITER_SECONDS = 3;
/** Pools that store through one writer, and what each has in flight. */
const POOLS = 10;
const FRAMES_IN_FLIGHT = 20;
const LINE = 'x'.repeat(400);

export type EdgeFrames = {
  runners: number;
  /** Runners of one pool, one frame in flight each, through socket and commit to acknowledgement. */
  poolPerS: number;
  /** Processor time of the whole runtime for each of these frames. */
  poolFrameCpuMs: number;
  /** The same of this process, which plays all the runners in one thread. */
  runnersFrameCpuMs: number;
  /** One writer that stores one frame after the other on the same server. */
  oneWriterPerS: number;
  ratio: number;
  /** Frames of several pools that share one writer, without what a Worker does for them. */
  pools: number;
  poolsPerS: number;
};

/**
 * Frames a second, and what the same server does with one commit for each. Where the figure of the pool
 * is below, the two processor times say whether runtime, runners or commits are the limit.
 */
export async function measureEdgeFrames({
  edge,
  sqld,
}: {
  edge: EdgeDev;
  sqld: Sqld;
}): Promise<EdgeFrames> {
  const address = { url: sqld.url, authToken: sqld.token };
  const before = await storedPerS(openRemoteDatabase(address), 1);
  const pool = await throughPool(edge);
  const after = await storedPerS(openRemoteDatabase(address), 1);
  const oneWriterPerS = (before + after) / 2;
  const poolsPerS = await storedPerS(openRemoteDatabase(address), POOLS * FRAMES_IN_FLIGHT);
  return {
    runners: RUNNERS,
    ...pool,
    oneWriterPerS,
    ratio: pool.poolPerS / oneWriterPerS,
    pools: POOLS,
    poolsPerS,
  };
}

/** Frames stored by so many at once, each of which waits for its own commit. */
async function storedPerS(db: Database, atOnce: number): Promise<number> {
  let stored = 0;
  const startedMs = performance.now();
  const endMs = startedMs + ONE_WRITER_SECONDS * 1_000;
  const [row] = await db.select({ id: runners.runner_id }).from(runners).limit(1);
  const id = row?.id ?? '';
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < endMs) {
        // As many statements as a frame has: its guard, the counter and the chunk.
        const guard = db
          .update(runners)
          .set({ last_seen_at_ms: Date.now() })
          .where(and(eq(runners.runner_id, id)));
        const event = { type: 'attempt.event' as const, atMs: Date.now(), data: { text: LINE } };
        await commitSteps(db, [
          expectRowsAffected(guard),
          ...appendEvents(db, Date.now(), [event]),
        ]);
        stored += 1;
      }
    }),
  );
  return (stored * 1_000) / (performance.now() - startedMs);
}

async function throughPool({
  client,
  dataDir,
}: EdgeDev): Promise<Pick<EdgeFrames, 'poolPerS' | 'poolFrameCpuMs' | 'runnersFrameCpuMs'>> {
  const made = [];
  for (let index = 0; index < RUNNERS; index += 1)
    made.push(await SocketRunner.join(client, `frames-${index}`));
  try {
    const lines = await Promise.all(made.map((runner) => runner.connect()));
    for (let index = 0; index < RUNNERS; index += 1)
      await client.createIssue({ title: `Frames ${index}`, state: 'Todo' });
    const leased = await Promise.all(lines.map(leaseOf));
    const endMs = performance.now() + SECONDS * 1_000;
    const startedMs = performance.now();
    const beforeCpuMs = await runtimeCpuMs(dataDir);
    const ownBefore = process.cpuUsage();
    const counts = await Promise.all(leased.map((given) => sendUntil(given, endMs)));
    const sum = counts.reduce((total, count) => total + count, 0);
    const poolPerS = (sum * 1_000) / (performance.now() - startedMs);
    const own = process.cpuUsage(ownBefore);
    return {
      poolPerS,
      poolFrameCpuMs: ((await runtimeCpuMs(dataDir)) - beforeCpuMs) / sum,
      runnersFrameCpuMs: (own.user + own.system) / 1_000 / sum,
    };
  } finally {
    for (const runner of made) runner.close();
  }
}

type Leased = { line: SocketLine; attemptId: string; epoch: number };

async function leaseOf(line: SocketLine): Promise<Leased> {
  const { attemptId, epoch } = await line.next('offer');
  line.say({ type: 'accept', ref: 'accept-1', attemptId, epoch });
  await line.next('granted');
  return { line, attemptId, epoch };
}

/** One frame after another; how many were acknowledged. */
async function sendUntil({ line, attemptId, epoch }: Leased, endMs: number): Promise<number> {
  const lease = { attemptId, epoch, token: '', seq: 0, digest: EMPTY_DIGEST };
  while (performance.now() < endMs) {
    const items = numbered(lease, [note(LINE)], Date.now());
    const acknowledged = acknowledgedBy(line, lease.seq + 1);
    line.say(eventsMessage(lease, items));
    lease.seq += 1;
    lease.digest = await extendDigest(lease.digest, items);
    await acknowledged;
  }
  return lease.seq;
}

function acknowledgedBy(line: SocketLine, seq: number): Promise<void> {
  return new Promise((resolve) => {
    const look = (data: Buffer) => {
      const upto = Number(/"type":"ack"[^}]*"upto":(\d+)/.exec(data.toString())?.[1] ?? 0);
      if (upto < seq) return;
      line.socket.off('message', look);
      resolve();
    };
    line.socket.on('message', look);
  });
}
