import type { Deps } from '../deps.ts';
import { leaveLeasesAlone } from '../runners/leases/leases-are-left-alone.ts';
import { boundDates, keepTwinsApart } from './bound-dates.ts';
import { clockJumpMs, recordClock } from '../jobs/leadership/record-clock.ts';

type ClockDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'leases' | 'logger' | 'service'>;

/** What an instance does that begins to lead: dates in the rows were written by another clock. */
export async function beginWithClock(deps: ClockDeps): Promise<void> {
  recordClock(deps);
  leaveLeasesAlone(deps);
  await boundDates(deps);
}

/** Before each run: a clock that was set must neither end leases nor make anything wait for long. */
export async function followClock(deps: ClockDeps): Promise<void> {
  const jumpMs = clockJumpMs(deps);
  if (jumpMs === 0) return recordClock(deps);
  deps.logger.warn('the clock of this machine was set', { byMs: Math.round(jumpMs) });
  leaveLeasesAlone(deps);
  if (jumpMs > 0) await keepTwinsApart(deps, jumpMs);
  await boundDates(deps);
  recordClock(deps);
}
