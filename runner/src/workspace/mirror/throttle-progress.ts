import type { GitProgress } from '../git/git-progress.ts';

/** Throttles calls: passes on the first after each `everyMs`, and none of what ends earlier. */
export function throttleProgress(
  monotonicMs: () => number,
  everyMs: number,
  listener: (progress: GitProgress) => void,
): (progress: GitProgress) => void {
  let nextMs = monotonicMs() + everyMs;
  return (progress) => {
    const nowMs = monotonicMs();
    if (nowMs < nextMs) return;
    nextMs = nowMs + everyMs;
    listener(progress);
  };
}
