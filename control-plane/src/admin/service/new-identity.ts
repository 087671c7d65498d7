import type { ServiceIdentity } from '../../deps.ts';
import type { MonotonicClock } from '../../ports/ports.ts';

type Given = Pick<
  ServiceIdentity,
  | ('version' | 'instanceId' | 'role' | 'dataDir' | 'audience' | 'publicOrigin')
  | ('leaseTimes' | 'demo' | 'checkout')
>;

/** The identity of an instance that starts and does not lead yet. */
export function newIdentity(clock: MonotonicClock, given: Given): ServiceIdentity {
  const nowMs = clock.nowMs();
  const monotonicMs = clock.monotonicMs();
  return {
    ...given,
    startedAtMs: nowMs,
    leadsSinceMs: nowMs,
    lead: { term: 0, untilMs: Number.NEGATIVE_INFINITY },
    leasesRestUntilMs: monotonicMs + given.leaseTimes.ttlMs,
    clockOffsetMs: nowMs - monotonicMs,
  };
}
