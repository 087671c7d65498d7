import { actReason } from '@switchyard/shared/reasons/act-of-person';
import type { Caller } from '../../http/caller/caller.ts';

/**
 * The stored reason for a caller's action. This service also acts in the name of the tracker's
 * people.
 */
export function reasonOfAct(
  code: Parameters<typeof actReason>[0],
  { actor, source }: Pick<Caller, 'actor' | 'source'>,
): string {
  const isOfTracker = source === 'service' && actor !== 'service';
  return actReason(code, actor, isOfTracker ? 'tracker' : undefined);
}
