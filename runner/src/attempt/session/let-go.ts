import type { GivenBack } from '../../connection/attempt-port.ts';
import type { AttemptContext } from '../attempt-deps.ts';

/**
 * Removes a lease from the inventory; its unsent events are kept for a day. Null: nothing is
 * reported.
 */
export function letGo(
  { ref, deps }: Pick<AttemptContext, 'ref' | 'deps'>,
  given: GivenBack | null,
): void {
  const { journal, spool, uplink, clock } = deps;
  spool.purgeLate(clock.nowMs());
  spool.markLate(ref, clock.nowMs());
  journal.remove(ref);
  if (given !== null) uplink.released(ref, given);
}
