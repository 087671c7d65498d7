import type { EngineEvent } from '../../engine/agent-engine.ts';

type Next = IteratorResult<EngineEvent>;

/** Events of others among those of an engine, for one reader. */
export class EventsBeside {
  readonly #beside: EngineEvent[] = [];
  readonly #done: (event: EngineEvent) => void;
  #wake: (() => void) | null = null;

  /** `done` is called for each of the others' events when the reader asks for the one after it. */
  constructor(done: (event: EngineEvent) => void) {
    this.#done = done;
  }

  push(event: EngineEvent): void {
    this.#beside.push(event);
    this.#wake?.();
  }

  /**
   * The engine's events with the others' between them, until the engine's end. `before` sees each of
   * the engine's ahead of the reader; what it pushes is read first.
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
    // Kept from one call to the next: an engine counts what was asked for as read.
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
