import type { Deps } from '../deps.ts';

/** In the first lease time after a start nothing counts as over: no runner could renew before it. */
export function leasesAreLeftAlone({
  clock,
  leases,
  service,
}: Pick<Deps, 'clock' | 'leases' | 'service'>): boolean {
  return clock.nowMs() < service.leadsSinceMs + leases.ttlMs;
}
