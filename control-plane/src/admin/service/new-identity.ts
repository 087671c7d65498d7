import type { Deps, ServiceIdentity } from '../../deps.ts';

type Given = Pick<
  ServiceIdentity,
  'version' | 'instanceId' | 'role' | 'dataDir' | 'audience' | 'publicOrigin' | 'demo' | 'checkout'
>;

/** The identity of an instance that starts and does not lead yet. */
export function newIdentity(
  { clock, leases }: Pick<Deps, 'clock' | 'leases'>,
  given: Given,
): ServiceIdentity {
  const nowMs = clock.nowMs();
  const monotonicMs = clock.monotonicMs();
  return {
    ...given,
    startedAtMs: nowMs,
    leadsSinceMs: nowMs,
    lead: { term: 0, untilMs: Number.NEGATIVE_INFINITY },
    leasesRestUntilMs: monotonicMs + leases.ttlMs,
    clockOffsetMs: nowMs - monotonicMs,
  };
}
