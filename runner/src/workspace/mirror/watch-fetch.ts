import type { GitProgress } from '../git/git-progress.ts';

type Listener = (progress: GitProgress) => void;

/** Who hears of the fetch of a mirror, by the mirror's path: all who wait for it, not only who began it. */
const listeners = new Map<string, Set<Listener>>();

/** Hears how far fetches of a mirror are until the function it answers is called. */
export function watchFetch(mirrorPath: string, listener: Listener): () => void {
  const all = listeners.get(mirrorPath) ?? new Set();
  listeners.set(mirrorPath, all.add(listener));
  return () => {
    all.delete(listener);
    if (all.size === 0 && listeners.get(mirrorPath) === all) listeners.delete(mirrorPath);
  };
}

/** Tells everybody who watches. */
export function reportFetch(mirrorPath: string, progress: GitProgress): void {
  for (const listener of listeners.get(mirrorPath) ?? []) listener(progress);
}
