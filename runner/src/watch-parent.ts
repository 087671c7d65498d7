import type { Clock } from './connection/clock.ts';

const CHECK_MS = 1_000;

/** Aborts when the process that started this one is gone; `stop` ends the watching. */
export function watchParent(
  clock: Clock,
  stop: AbortSignal,
  parentPid = () => process.ppid,
): AbortSignal {
  const orphaned = new AbortController();
  const first = parentPid();
  const look = () => {
    if (stop.aborted) return;
    if (parentPid() !== first) return orphaned.abort();
    clock.after(CHECK_MS, look);
  };
  clock.after(CHECK_MS, look);
  return orphaned.signal;
}
