import type { Deps } from '../../deps.ts';
import { clockJumpMs } from '../../jobs/leadership/record-clock.ts';

type Held = Pick<Deps, 'clock' | 'leases' | 'service'>;

/**
 * Whether no lease counts as over now: in the first lease time after a start, and after the clock
 * was set, because no runner could renew by the new time before.
 */
export function leasesAreLeftAlone(deps: Held): boolean {
  return deps.clock.monotonicMs() < deps.service.leasesRestUntilMs || clockJumpMs(deps) !== 0;
}

/** From now on leases are left alone for one lease time. */
export function leaveLeasesAlone({ clock, leases, service }: Held): void {
  service.leasesRestUntilMs = clock.monotonicMs() + leases.ttlMs;
}
