export type Coalescer<Item> = {
  add(items: readonly Item[]): void;
  /** Draws the queued items at once. */
  flush(): void;
  /** Discards the queued items. */
  stop(): void;
};

/** Collects items and draws them together, `paceMs` after the first, also in a hidden tab. */
export function coalesce<Item>(paceMs: number, draw: (items: Item[]) => void): Coalescer<Item> {
  let waiting: Item[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  const stop = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    waiting = [];
  };
  const flush = () => {
    const items = waiting;
    stop();
    draw(items);
  };
  return {
    add(items) {
      waiting.push(...items);
      timer ??= setTimeout(flush, paceMs);
    },
    flush,
    stop,
  };
}
