import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../../deps.ts';
import type { RunnerSession } from '../session/runner-session.ts';

/**
 * Passes live text to its subscribers without a database read. Text is dropped if this session has
 * not stored an event of the attempt yet, or for another epoch.
 */
export function handleLiveText(
  { liveText }: Pick<Deps, 'liveText'>,
  session: RunnerSession,
  { attemptId, epoch, items }: RunnerMessageOf<'delta'>,
): void {
  if (session.leases.get(attemptId)?.epoch === epoch) liveText?.publish(attemptId, items);
}
