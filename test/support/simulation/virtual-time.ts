import { AsyncResource } from 'node:async_hooks';
import { stat } from 'node:fs';

/** The pass itself, and the look at the newest. */
const IDS_OF_A_PASS = 2;

type Entry = { atMs: number; order: number; run: () => void; cancelled: boolean };

/** The one clock of a simulated world. Time moves only when everything that could run has run. */
export class VirtualTime {
  #nowMs = 0;
  #order = 0;
  /** When nothing was under way last; whatever is begun has a later one. */
  #newestAsyncId = 0;
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
    await this.#settle();
    while (!stop()) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > endMs) break;
      this.#pop();
      if (next.cancelled) continue;
      this.#nowMs = next.atMs;
      this.events += 1;
      next.run();
      await this.#settle();
    }
    if (!stop()) this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  /**
   * Passes of the event loop until one finds nothing under way: promise reactions run in each, and
   * behind the queue of the thread pool (of one thread, so that it answers in order) its work is done.
   */
  async #settle(): Promise<void> {
    for (let expected = IDS_OF_A_PASS; ; expected = IDS_OF_A_PASS + 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const newest = newestAsyncId();
      const beganNothing = newest === this.#newestAsyncId + expected;
      this.#newestAsyncId = newest;
      // A request of several steps is one resource: it may go on where nothing was begun.
      if (beganNothing && (expected === IDS_OF_A_PASS || !isAnyRequestOpen())) return;
      await new Promise<void>((resolve) => stat('/', () => resolve()));
    }
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

function newestAsyncId(): number {
  return new AsyncResource('settle').asyncId();
}

function isAnyRequestOpen(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(FSReq|CloseReq)/.test(name));
}
