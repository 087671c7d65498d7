import { isOneOf } from './find-state.ts';
import { type SeenMove, type Tracker, TrackerError } from './tracker.ts';

/**
 * Moves an issue and returns the state that the tracker shows afterwards: the requested one, or one
 * that another person set meanwhile. Throws a TrackerError if the tracker accepted the move but
 * still shows the former state.
 *
 * In a probe only the issue's time tells whether anything else changed. A person may have edited the
 * issue just before the move, so the returned time is one millisecond earlier than the tracker's:
 * the next sync then reads the details.
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
  const message = `the tracker took the move to ${toState} and still shows ${seen.state}`;
  throw new TrackerError('response', message);
}
