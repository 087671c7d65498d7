import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { Database } from '../../db/database.ts';
import type { ConcurrencyLimit } from '../../http/limits/create-concurrency-limit.ts';
import type { Clock, EventSignal } from '../../ports/ports.ts';
import { eventsAfter, firstEventSeq, lastEventSeq } from './queries.ts';
import { type StreamFilter, wanted } from './stream-events.ts';

/**
 * Silence after which a comment shows the client that the stream is alive. Source: decisions,
 * Events.
 */
const KEEP_ALIVE_MS = 15_000;

/** Dependencies of following the events. */
export type StreamDeps = {
  db: Database;
  events: EventSignal;
  clock: Clock;
  /** Reads the events after a position, possibly shared; left out: each stream reads for itself. */
  read?: (afterSeq: number) => ReturnType<typeof eventsAfter>;
  /** Limits how many streams hold read rows in memory at once. */
  inTurn?: ConcurrencyLimit;
};

export type StreamSink<Chunk> = {
  /** Encodes events for sending; the events are released afterwards, since a client may be slow. */
  encode(events: readonly StreamEvent[]): Chunk;
  /** Sends in order; resolves when the client has room for more. */
  send(chunk: Chunk): Promise<void>;
  keepAlive(): Promise<void>;
  readonly aborted: boolean;
  /** Calls back once when the sink is aborted, so that following ends at once. */
  onAbort?(then: () => void): void;
};

type StreamStart = {
  afterSeq: number;
  filter: StreamFilter;
  keepAliveMs?: number;
  /** Whether to end after the stored events have been sent. */
  endsWithStored?: boolean;
};

/**
 * Follows the stored events after `afterSeq` until the sink is aborted. Everything sent comes from
 * rows, so a client that reconnects with its last seq misses and repeats nothing.
 */
export async function followEvents<Chunk>(
  deps: StreamDeps,
  input: StreamStart,
  sink: StreamSink<Chunk>,
): Promise<void> {
  const inTurn: ConcurrencyLimit = deps.inTurn ?? ((work) => work());
  const waiter = createWaiter(deps.events);
  sink.onAbort?.(() => waiter.close());
  try {
    let afterSeq = input.afterSeq;
    const first = await nextStored(deps.db, afterSeq);
    if (first !== null) {
      await sink.send(sink.encode([gapEvent(deps, afterSeq, first)]));
      afterSeq = first - 1;
    }
    while (!sink.aborted) {
      waiter.arm();
      const from = afterSeq;
      const page = await inTurn(() => readPage(deps, { ...input, afterSeq: from }, sink));
      if (sink.aborted) return;
      if (page.chunk !== null) await sink.send(page.chunk);
      afterSeq = page.lastSeq;
      if (page.more) continue;
      if (input.endsWithStored === true) return;
      const woken = await waiter.wait(input.keepAliveMs ?? KEEP_ALIVE_MS);
      if (!woken && !sink.aborted) await sink.keepAlive();
    }
  } finally {
    waiter.close();
  }
}

/**
 * The position from which a client must continue if it cannot at `afterSeq`: the events after it
 * were deleted, or it is not of this database.
 */
async function nextStored(db: Database, afterSeq: number): Promise<number | null> {
  const first = await firstEventSeq(db);
  if (first !== null && afterSeq > 0 && afterSeq < first - 1) return first;
  // The seq is ahead: a backup was restored, or another service had this address.
  const last = await lastEventSeq(db);
  return afterSeq > last ? last + 1 : null;
}

async function readPage<Chunk>(
  { db, read }: StreamDeps,
  { afterSeq, filter }: { afterSeq: number; filter: StreamFilter },
  sink: StreamSink<Chunk>,
): Promise<{ chunk: Chunk | null; lastSeq: number; more: boolean }> {
  const { events, more } = await (read?.(afterSeq) ?? eventsAfter(db, afterSeq));
  const matching = events.filter((event) => wanted(event, filter));
  const chunk = matching.length > 0 ? sink.encode(matching) : null;
  return { chunk, lastSeq: events.at(-1)?.seq ?? afterSeq, more };
}

function gapEvent(deps: StreamDeps, afterSeq: number, first: number): StreamEvent {
  return {
    seq: first - 1,
    type: 'stream.gap',
    at: new Date(deps.clock.nowMs()).toISOString(),
    data: { after: afterSeq, first },
  };
}

/**
 * Turns the signal into "signalled since arm()", so that no signal between read and wait is missed.
 */
function createWaiter(signal: EventSignal) {
  let dirty = false;
  let resume: (() => void) | null = null;
  const unsubscribe = signal.subscribe(() => {
    dirty = true;
    resume?.();
  });
  return {
    arm() {
      dirty = false;
    },
    wait(timeoutMs: number): Promise<boolean> {
      if (dirty) return Promise.resolve(true);
      return new Promise((resolve) => {
        const timer = setTimeout(() => finish(false), timeoutMs);
        const finish = (woken: boolean) => {
          clearTimeout(timer);
          resume = null;
          resolve(woken);
        };
        resume = () => finish(true);
      });
    },
    close() {
      unsubscribe();
      resume?.();
    },
  };
}
