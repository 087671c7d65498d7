import type { Deps } from '../deps.ts';
import { setTimer, stopTimer, type Timers } from '../jobs/queue/set-timer.ts';
import type { PeriodicTasks } from './periodic-tasks.ts';

/** Runs the named timers that are due and sets each one again. True when any was due. */
export async function runTimers(
  deps: Pick<Deps, 'db' | 'clock'> & { tasks: PeriodicTasks },
  timers: Timers,
  names: readonly (keyof PeriodicTasks)[],
): Promise<boolean> {
  let ran = false;
  for (const name of names) {
    const { dueAtMs, payload } = timers.of(name);
    const nowMs = deps.clock.nowMs();
    // A resting timer runs at once: its run is only requested when there is work again.
    const rests = payload['resting'] === true;
    if (dueAtMs > nowMs && !rests) continue;
    const next = await deps.tasks[name](nowMs);
    if (next === null && dueAtMs === 0) continue;
    ran = true;
    const set =
      next === null
        ? stopTimer(deps.db, name)
        : setTimer(deps.db, name, next.atMs, rests ? {} : undefined);
    await deps.db.batch([set, ...(next?.statements ?? [])]);
  }
  return ran;
}
