import type { Deps } from '../deps.ts';
import { leaveLeasesAlone } from '../runners/leases/leases-are-left-alone.ts';
import { boundDates, keepTwinsApart } from './bound-dates.ts';
import { clockJumpMs, recordClock } from '../jobs/leadership/record-clock.ts';

type ClockDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'service' | 'logger'>;

/**
 * Runs when this instance begins to lead: pulls back dates that another clock wrote too far in the
 * future, and ignores expired leases for one lease time.
 */
export async function beginWithClock(deps: ClockDeps): Promise<void> {
  recordClock(deps);
  leaveLeasesAlone(deps);
  await boundDates(deps);
}

/**
 * Checks before each run whether the clock was set, which must neither expire leases nor delay work
 * for long.
 */
export async function followClock(deps: ClockDeps): Promise<void> {
  const jumpMs = clockJumpMs(deps);
  if (jumpMs === 0) return recordClock(deps);
  deps.logger.warn('the clock of this machine was set', { byMs: Math.round(jumpMs) });
  leaveLeasesAlone(deps);
  if (jumpMs > 0) await keepTwinsApart(deps, jumpMs);
  await boundDates(deps);
  recordClock(deps);
}
