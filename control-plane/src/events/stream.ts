import type { StreamEvent } from '@switchyard/shared/api/attempt';
import type { Database } from '../db/database.ts';
import type { Clock, EventSignal } from '../ports.ts';
import { eventsAfter, firstEventSeq } from './queries.ts';
import { type StreamFilter, wanted } from './stream-event.ts';

/** Silence after which a comment shows the listener that the stream lives. Source: decisions, Events. */
const KEEP_ALIVE_MS = 15_000;

/** What following needs. */
export type StreamDeps = { db: Database; events: EventSignal; clock: Clock };

export type StreamSink = {
  /** In order; resolves when the listener has room for more. */
  events(events: readonly StreamEvent[]): Promise<void>;
  keepAlive(): Promise<void>;
  readonly aborted: boolean;
  /** Calls back once when the listener goes, so that nobody waits for one who is gone. */
  onAbort?(then: () => void): void;
};

/**
 * Follows the stored events from `afterSeq` on until the sink is aborted. What is sent comes from
 * rows only, so a listener that reconnects with its last seq misses nothing and sees nothing twice.
 */
export async function followEvents(
  deps: StreamDeps,
  input: { afterSeq: number; filter: StreamFilter; keepAliveMs?: number },
  sink: StreamSink,
): Promise<void> {
  const waiter = createWaiter(deps.events);
  sink.onAbort?.(() => waiter.close());
  try {
    let afterSeq = input.afterSeq;
    const first = await firstEventSeq(deps.db);
    if (first !== null && afterSeq > 0 && afterSeq < first - 1) {
      await sink.events([gapEvent(deps, afterSeq, first)]);
      afterSeq = first - 1;
    }
    while (!sink.aborted) {
      waiter.arm();
      const { events, more } = await eventsAfter(deps.db, afterSeq);
      if (sink.aborted) return;
      const heard = events.filter((event) => wanted(event, input.filter));
      if (heard.length > 0) await sink.events(heard);
      afterSeq = events.at(-1)?.seq ?? afterSeq;
      if (more || events.length > 0) continue;
      const woken = await waiter.wait(input.keepAliveMs ?? KEEP_ALIVE_MS);
      if (!woken && !sink.aborted) await sink.keepAlive();
    }
  } finally {
    waiter.close();
  }
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
