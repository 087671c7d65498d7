import type { LiveTextItem } from '@switchyard/shared/protocol/messages';
import type { LiveText } from '../../ports/ports.ts';

/** Limit on subscribers of all attempts; each is an open connection. */
const MAX_LISTENERS = 200;

/** Live text for subscribers in this process. */
export function createLiveText(): LiveText {
  const listeners = new Map<string, Set<(item: LiveTextItem) => void>>();
  let count = 0;
  return {
    publish(attemptId, items) {
      for (const listener of listeners.get(attemptId) ?? [])
        for (const item of items) listener(item);
    },
    subscribe(attemptId, listener) {
      if (count >= MAX_LISTENERS) return null;
      const own = listeners.get(attemptId) ?? new Set();
      listeners.set(attemptId, own.add(listener));
      count += 1;
      return () => {
        if (!own.delete(listener)) return;
        count -= 1;
        if (own.size === 0) listeners.delete(attemptId);
      };
    },
  };
}
