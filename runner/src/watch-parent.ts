import type { Clock } from './connection/clock.ts';

const CHECK_MS = 1_000;

/**
 * Aborts when the process `first` has ended, which started this one; `stop` ends the watch. `first`
 * may have ended before the first check. Left out: the present parent.
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
