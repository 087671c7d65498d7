import type { EngineEvent } from '../agent-engine.ts';

/** Waiting entries beyond which streaming text is dropped; it is lossy by contract. */
const MAX_WAITING_WITH_DELTAS = 2_000;

/** Waiting entries beyond which the reader must wait; the rest stays in the engine's log. */
const MAX_WAITING = 20_000;

type Entry = { event: EngineEvent } | { processedUpTo: number } | { after: () => void };

/**
 * Events in order for one consumer, with stream positions in between. A position counts as
 * processed only when the consumer has returned after every event before it, so that a crash
 * repeats an event but loses none.
 */
export class EventQueue implements AsyncIterable<EngineEvent> {
  readonly #onProcessed: (offset: number) => void;
  readonly #waiting: Entry[] = [];
  #inHand = false;
  #ended = false;
  #wakeConsumer: (() => void) | null = null;
  #wakeProducer: (() => void) | null = null;

  constructor(onProcessed: (offset: number) => void) {
    this.#onProcessed = onProcessed;
  }

  push(event: EngineEvent): void {
    if (this.#ended) return;
    if (event.kind === 'delta' && this.#waiting.length > MAX_WAITING_WITH_DELTAS) return;
    this.#waiting.push({ event });
    this.#wakeConsumer?.();
  }

  /** Marks that everything pushed so far came from before `offset` of the stream. */
  mark(offset: number): void {
    const last = this.#waiting.at(-1);
    if (last && 'processedUpTo' in last) last.processedUpTo = offset;
    else this.#waiting.push({ processedUpTo: offset });
    this.#settlePositions();
  }

  /** Runs a function once the consumer has handled everything pushed so far. */
  after(run: () => void): void {
    this.#waiting.push({ after: run });
    this.#settlePositions();
  }

  /** Resolves when there is space for more. */
  async room(): Promise<void> {
    if (this.#waiting.length < MAX_WAITING || this.#ended) return;
    await new Promise<void>((resolve) => {
      this.#wakeProducer = resolve;
    });
  }

  /** Ends the queue; waiting events are still delivered. */
  end(): void {
    this.#ended = true;
    this.#wakeConsumer?.();
    this.#wakeProducer?.();
  }

  /** Leaving a loop does not end the queue: a later loop continues with the next event. */
  [Symbol.asyncIterator](): AsyncIterator<EngineEvent> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#release();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #next(): Promise<IteratorResult<EngineEvent>> {
    for (;;) {
      this.#release();
      const entry = this.#waiting.shift();
      if (entry && 'event' in entry) {
        this.#inHand = true;
        this.#wakeProducer?.();
        return { done: false, value: entry.event };
      }
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wakeConsumer = resolve;
      });
      this.#wakeConsumer = null;
    }
  }

  #release(): void {
    this.#inHand = false;
    this.#settlePositions();
  }

  #settlePositions(): void {
    if (this.#inHand) return;
    for (let first = this.#waiting[0]; first && !('event' in first); first = this.#waiting[0]) {
      this.#waiting.shift();
      if ('after' in first) first.after();
      else this.#onProcessed(first.processedUpTo);
    }
  }
}
