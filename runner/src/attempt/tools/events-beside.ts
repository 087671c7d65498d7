import type { EngineEvent } from '../../engine/agent-engine.ts';

type Next = IteratorResult<EngineEvent>;

/** Merges an engine's events with events from elsewhere for one reader. */
export class EventsBeside {
  readonly #beside: EngineEvent[] = [];
  readonly #done: (event: EngineEvent) => void;
  #wake: (() => void) | null = null;

  /** `done` is called for each event from elsewhere when the reader requests the next one. */
  constructor(done: (event: EngineEvent) => void) {
    this.#done = done;
  }

  push(event: EngineEvent): void {
    this.#beside.push(event);
    this.#wake?.();
  }

  /**
   * The engine's events merged with the others, until the engine ends. `before` sees each engine
   * event first; events that it pushes are read before it.
   */
  mergedWith(
    engine: AsyncIterable<EngineEvent>,
    before: (event: EngineEvent) => void,
  ): AsyncIterable<EngineEvent> {
    return { [Symbol.asyncIterator]: () => this.#read(engine[Symbol.asyncIterator](), before) };
  }

  #read(
    engine: AsyncIterator<EngineEvent>,
    before: (event: EngineEvent) => void,
  ): AsyncIterator<EngineEvent> {
    // Kept between calls: an engine counts a requested event as read.
    let pending: Promise<Next> | null = null;
    let held: Next | null = null;
    let delivered: EngineEvent | null = null;
    const next = async (): Promise<Next> => {
      if (delivered !== null) this.#done(delivered);
      for (;;) {
        delivered = this.#beside.shift() ?? null;
        if (delivered !== null) return { done: false, value: delivered };
        if (held !== null) {
          const value = held;
          held = null;
          return value;
        }
        pending ??= engine.next();
        const woken = new Promise<null>((resolve) => {
          this.#wake = () => resolve(null);
        });
        const first = await Promise.race([pending, woken]);
        if (first === null) continue;
        pending = null;
        held = first;
        if (first.done !== true) before(first.value);
      }
    };
    return { next };
  }
}
