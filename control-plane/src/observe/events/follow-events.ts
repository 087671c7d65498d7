import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { Database } from '../../db/database.ts';
import type { ConcurrencyLimit } from '../../http/limits/create-concurrency-limit.ts';
import type { Clock, EventSignal } from '../../ports/ports.ts';
import { eventsAfter, firstEventSeq, lastEventSeq } from './queries.ts';
import { type StreamFilter, wanted } from './stream-events.ts';

/** Silence after which a comment shows the listener that the stream lives. Source: decisions, Events. */
const KEEP_ALIVE_MS = 15_000;

/** What following needs. */
export type StreamDeps = {
  db: Database;
  events: EventSignal;
  clock: Clock;
  /** Reads what follows a place; left out: each listener reads for itself. */
  read?: (afterSeq: number) => ReturnType<typeof eventsAfter>;
  /** Where many follow at once: so that few of them hold what they read of the database. */
  inTurn?: ConcurrencyLimit;
};

export type StreamSink<Chunk> = {
  /** What is sent for these events. They are let go then: a listener may take long. */
  encode(events: readonly StreamEvent[]): Chunk;
  /** In order; resolves when the listener has room for more. */
  send(chunk: Chunk): Promise<void>;
  keepAlive(): Promise<void>;
  readonly aborted: boolean;
  /** Calls back once when the listener goes, so that nobody waits for one who is gone. */
  onAbort?(then: () => void): void;
};

type StreamStart = {
  afterSeq: number;
  filter: StreamFilter;
  keepAliveMs?: number;
  /** Whether to end once what is stored has been sent. */
  endsWithStored?: boolean;
};

/**
 * Follows the stored events from `afterSeq` on until the sink is aborted. What is sent comes from
 * rows only, so a listener that reconnects with its last seq misses nothing and sees nothing twice.
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

/** Where a listener must go on who cannot at `afterSeq`: events after it are gone, or it never was here. */
async function nextStored(db: Database, afterSeq: number): Promise<number | null> {
  const first = await firstEventSeq(db);
  if (first !== null && afterSeq > 0 && afterSeq < first - 1) return first;
  // A backup was restored, or another service had this address.
  const last = await lastEventSeq(db);
  return afterSeq > last ? last + 1 : null;
}

async function readPage<Chunk>(
  { db, read }: StreamDeps,
  { afterSeq, filter }: { afterSeq: number; filter: StreamFilter },
  sink: StreamSink<Chunk>,
): Promise<{ chunk: Chunk | null; lastSeq: number; more: boolean }> {
  const { events, more } = await (read?.(afterSeq) ?? eventsAfter(db, afterSeq));
  const heard = events.filter((event) => wanted(event, filter));
  const chunk = heard.length > 0 ? sink.encode(heard) : null;
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

/** Turns the signal into "something since arm()", so that nothing between read and wait is missed. */
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
