import type { Deps } from '../../deps.ts';
import { clockJumpMs } from '../../jobs/leadership/record-clock.ts';

type Held = Pick<Deps, 'clock' | 'service'>;

/**
 * Whether expired leases are ignored for now: during the first lease time after a start and after a
 * change of the clock, since no runner could renew before.
 */
export function leasesAreLeftAlone(deps: Held): boolean {
  return deps.clock.monotonicMs() < deps.service.leasesRestUntilMs || clockJumpMs(deps) !== 0;
}

/** Starts a period of one lease time in which expired leases are ignored. */
export function leaveLeasesAlone({ clock, service }: Held): void {
  service.leasesRestUntilMs = clock.monotonicMs() + service.leaseTimes.ttlMs;
}
