export type Coalescer<Item> = {
  add(items: readonly Item[]): void;
  /** Draws what waits at once. */
  flush(): void;
  /** Drops what waits. */
  stop(): void;
};

/** Hands what comes in a row over in one go, `paceMs` after the first, also in a hidden tab. */
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
