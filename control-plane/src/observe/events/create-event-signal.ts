import type { EventSignal } from '../../ports/ports.ts';

/** Notifies all subscribers in this process that there may be new rows. */
export function createEventSignal(): EventSignal {
  const listeners = new Set<() => void>();
  return {
    notify() {
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
