import type { GitProgress } from '../git/git-progress.ts';

type Listener = (progress: GitProgress) => void;

/**
 * Listeners to the fetch of a mirror, by its path: everyone who waits for it, not only who started
 * it.
 */
const listeners = new Map<string, Set<Listener>>();

/** Reports the progress of fetches of a mirror until the returned function is called. */
export function watchFetch(mirrorPath: string, listener: Listener): () => void {
  const all = listeners.get(mirrorPath) ?? new Set();
  listeners.set(mirrorPath, all.add(listener));
  return () => {
    all.delete(listener);
    if (all.size === 0 && listeners.get(mirrorPath) === all) listeners.delete(mirrorPath);
  };
}

/** Passes progress to all listeners. */
export function reportFetch(mirrorPath: string, progress: GitProgress): void {
  for (const listener of listeners.get(mirrorPath) ?? []) listener(progress);
}
