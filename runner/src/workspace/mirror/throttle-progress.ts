import type { GitProgress } from '../git/git-progress.ts';

/** Of what is heard, the first after each `everyMs`; nothing of what takes no longer than that. */
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
