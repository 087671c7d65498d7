import { isOneOf } from './find-state.ts';
import { type SeenMove, type Tracker, TrackerError } from './tracker.ts';

/**
 * Moves an issue and gives what the tracker shows then: the state that was asked for, or one that
 * somebody else moved it to meanwhile. Throws a TrackerError where the tracker took the move and
 * still shows the state before: what was not seen to change has not changed.
 */
export async function moveAndSee(
  tracker: Tracker,
  issueId: string,
  toState: string,
): Promise<SeenMove> {
  const seen = await tracker.transition(issueId, toState);
  if (isOneOf(seen.state, [toState]) || !isOneOf(seen.state, [seen.before])) return seen;
  const words = `the tracker took the move to ${toState} and still shows ${seen.state}`;
  throw new TrackerError('response', words);
}
