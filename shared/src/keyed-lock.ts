/**
 * Runs `work` exclusively among all work with the same key, in order of arrival, within this
 * process only.
 */
export type KeyedLock = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates a lock; a failed `work` does not stop the next one. */
export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve();
    const own = before.then(work, work);
    tails.set(key, own);
    try {
      return await own;
    } finally {
      if (tails.get(key) === own) tails.delete(key);
    }
  };
}
