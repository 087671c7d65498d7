import { isOneOf } from './find-state.ts';
import { type SeenState, type Tracker, TrackerError } from './tracker.ts';

/**
 * Moves an issue and gives what the tracker shows then: the state that was asked for, or one that
 * somebody else moved it to meanwhile. Throws a TrackerError where the tracker took the move and
 * still shows the state before: what was not seen to change has not changed.
 */
export async function moveAndSee(
  tracker: Tracker,
  issue: { id: string; state: string },
  toState: string,
): Promise<SeenState> {
  const seen = await tracker.transition(issue.id, toState);
  const isMoved = isOneOf(seen.state, [toState]) || !isOneOf(seen.state, [issue.state]);
  if (isMoved) return seen;
  const words = `the tracker took the move to ${toState} and still shows ${seen.state}`;
  throw new TrackerError('response', words);
}
