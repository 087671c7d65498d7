import type { Clock } from './connection/clock.ts';

const CHECK_MS = 1_000;

/**
 * Aborts when the process that started this one is gone; `stop` ends the watching. `first` is that
 * process: it may be gone before this one can look. Left out: the parent of this moment.
 */
export function watchParent(
  clock: Clock,
  stop: AbortSignal,
  parentPid = () => process.ppid,
  first = parentPid(),
): AbortSignal {
  const orphaned = new AbortController();
  const look = () => {
    if (stop.aborted) return;
    if (parentPid() !== first) return orphaned.abort();
    clock.after(CHECK_MS, look);
  };
  look();
  return orphaned.signal;
}
