type Entry = { atMs: number; order: number; run: () => void; cancelled: boolean };

/**
 * The one clock of a simulated world. Time moves only when everything that could run has run: all
 * asynchronous code in the simulation is promises over synchronous work, so one pass of the event
 * loop settles it.
 */
export class VirtualTime {
  #nowMs = 0;
  #order = 0;
  readonly #heap: Entry[] = [];
  events = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Runs once at a time that is not before now; the returned function cancels it. */
  at(atMs: number, run: () => void): () => void {
    this.#order += 1;
    const entry = { atMs: Math.max(atMs, this.#nowMs), order: this.#order, run, cancelled: false };
    this.#push(entry);
    return () => {
      entry.cancelled = true;
    };
  }

  after(delayMs: number, run: () => void): () => void {
    return this.at(this.#nowMs + Math.max(0, delayMs), run);
  }

  delay(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Lets time pass up to `endMs`, or until `stop` says so. */
  async runUntil(endMs: number, stop: () => boolean = () => false): Promise<void> {
    await settle();
    while (!stop()) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > endMs) break;
      this.#pop();
      if (next.cancelled) continue;
      this.#nowMs = next.atMs;
      this.events += 1;
      next.run();
      await settle();
    }
    if (!stop()) this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(entry, heap[parent] as Entry)) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Entry;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Entry, heap[child] as Entry))
        child += 1;
      if (!before(heap[child] as Entry, last)) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = last;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** A pass of the event loop: every promise reaction that is due has run afterwards. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
