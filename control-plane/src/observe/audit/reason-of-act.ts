import { actReason } from '@switchyard/shared/reasons/act-of-person';
import type { Caller } from '../../http/caller/caller.ts';

/** The reason that is stored of what a caller did: this service acts under names of the tracker's people too. */
export function reasonOfAct(
  code: Parameters<typeof actReason>[0],
  { actor, source }: Pick<Caller, 'actor' | 'source'>,
): string {
  const isOfTracker = source === 'service' && actor !== 'service';
  return actReason(code, actor, isOfTracker ? 'tracker' : undefined);
}
