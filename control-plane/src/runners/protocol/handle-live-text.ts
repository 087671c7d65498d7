import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../../deps.ts';
import type { RunnerSession } from '../session/runner-session.ts';

/**
 * Hands live text on to those who watch. It costs no read: text of an attempt of which this session
 * has stored no event yet, or under another epoch, is dropped like any that is not heard.
 */
export function handleLiveText(
  { liveText }: Pick<Deps, 'liveText'>,
  session: RunnerSession,
  { attemptId, epoch, items }: RunnerMessageOf<'delta'>,
): void {
  if (session.leases.get(attemptId)?.epoch === epoch) liveText?.publish(attemptId, items);
}
