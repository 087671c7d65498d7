import { isOneOf } from './find-state.ts';
import { type SeenMove, type Tracker, TrackerError } from './tracker.ts';

/**
 * Moves an issue and gives what the tracker shows then: the state that was asked for, or one that
 * somebody else moved it to meanwhile. Throws a TrackerError where the tracker took the move and
 * still shows the state before: what was not seen to change has not changed.
 *
 * A tracker that is glimpsed at shows by its time alone whether anything else is new. A person may
 * have edited the issue just before the move, so the time given is earlier by a millisecond than the
 * one that was seen: the next look reads the details.
 */
export async function moveAndSee(
  tracker: Tracker,
  issueId: string,
  toState: string,
): Promise<SeenMove> {
  const made = await tracker.transition(issueId, toState);
  const earlierMs = tracker.probe === undefined ? 0 : 1;
  const updatedAtMs = made.updatedAtMs === null ? null : made.updatedAtMs - earlierMs;
  const seen = { ...made, updatedAtMs };
  if (isOneOf(seen.state, [toState]) || !isOneOf(seen.state, [seen.before])) return seen;
  const words = `the tracker took the move to ${toState} and still shows ${seen.state}`;
  throw new TrackerError('response', words);
}
