import type { EngineEvent } from '../engine/agent-engine.ts';

/** Events of a session, stored so that a check can wait for one of them. */
export class EventLog {
  readonly all: EngineEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #over = false;

  /** Reads events until the session's end. */
  async follow(events: AsyncIterable<EngineEvent>): Promise<void> {
    try {
      for await (const event of events) {
        this.all.push(event);
        this.#wake();
      }
    } finally {
      this.#over = true;
      this.#wake();
    }
  }

  /**
   * The first matching event from the beginning on. Rejects after `timeoutMs`, or at the session's
   * end.
   */
  async until<E extends EngineEvent>(
    what: string,
    fits: (event: EngineEvent) => event is E,
    timeoutMs: number,
  ): Promise<E> {
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      const found = this.all.find(fits);
      if (found !== undefined) return found;
      if (this.#over) throw new Error(`the agent's output ended before ${what}`);
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) {
        const kinds = this.all.map(({ kind }) => kind).join(' ');
        throw new Error(
          `no ${what} within ${timeoutMs / 1_000} s; there was: ${kinds || 'nothing'}`,
        );
      }
      await this.#next(leftMs);
    }
  }

  #next(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(wake, timeoutMs);
      const waiting = this.#waiting;
      function wake(): void {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      }
      waiting.add(wake);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
