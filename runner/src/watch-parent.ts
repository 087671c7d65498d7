import type { Clock } from './connection/clock.ts';

const CHECK_MS = 1_000;

/**
 * Aborts when the process that started this one has ended; `stop` ends the watch. `first` is that
 * process, which may end before this one can check. Left out: the present parent.
 */
export function watchParent(
  clock: Clock,
  stop: AbortSignal,
  parentPid = () => process.ppid,
  first = parentPid(),
): AbortSignal {
  const orphaned = new AbortController();
  const check = () => {
    if (stop.aborted) return;
    if (parentPid() !== first) return orphaned.abort();
    clock.after(CHECK_MS, check);
  };
  check();
  return orphaned.signal;
}
