import { kindForPullRequest } from '../../attempts/kind-for-pull-request.ts';
import type { TransitionResponse } from '@switchyard/shared/api/work/transition';
import { performNow } from '../../jobs/queue/perform-now.ts';
import { recordMove } from './record-move.ts';
import { currentAttempt } from '../../attempts/queries.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { findState, isOneOf } from '../../ports/tracker/find-state.ts';
import { forgetUnattendedRuns } from '../../db/rows/update-issue.ts';
import { moveAndSee } from '../../ports/tracker/move-and-see.ts';
import type { StateRoles } from '../../ports/tracker/tracker.ts';
import { callTracker } from '../call-tracker.ts';
import { liveAttemptOf, decideTrackerChange } from '../decide.ts';
import { requireIssue } from '../queries.ts';

/**
 * Moves an issue to another tracker state for a person: requeues a parked issue, and stops a
 * running one that leaves the active states. Throws a 404, a 422 for an unknown state, a 502 when
 * the tracker fails, and a 409 instead of stopping a run without `stopRunning`.
 */
export async function moveIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers' | 'wake'>,
  input: {
    identifier: string;
    caller: Caller;
    to: string;
    reason: string | null;
    /** Whether the move may stop a running attempt. */
    stopRunning: boolean;
  },
): Promise<TransitionResponse> {
  const { caller, reason } = input;
  const issue = await requireIssue(deps.db, input.identifier);
  const tracker = deps.trackers.get(issue.tracker);
  if (tracker === undefined)
    throw new AppError('unavailable', `the tracker ${issue.tracker} is not configured`);
  const listed = await callTracker(() => tracker.listStates(issue.id));
  const to = findState(listed, input.to);
  if (to === undefined) {
    const message = `${issue.identifier} cannot move to ${input.to}; its states are ${listed.join(', ')}`;
    throw new AppError('unprocessable', message, { reason: 'unknown_state' });
  }
  const from = issue.state;
  if (findState([from], to) !== undefined) return { ok: true, from, to };
  if (!input.stopRunning && (await stopsRun(deps.db, tracker.stateRoles(), issue, to))) {
    const message = `an agent is at work on ${issue.identifier}; moving it to ${to} would stop it`;
    throw new AppError('conflict', message, { reason: 'stops_run' });
  }
  const move = { kind: 'tracker.move', from, to, reason, caller } as const;
  const wish = {
    key: `move:${issue.tracker}:${issue.id}:${issue.version}:${to}`,
    effect: move,
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId: null },
    // A sync may see the move before it is recorded here and must not count it as an unattended
    // start.
    also: [forgetUnattendedRuns(deps.db, issue)],
  };
  await performNow(deps, wish, async (done) => {
    const seen = await callTracker(() => moveAndSee(tracker, issue.id, to));
    if (!isOneOf(seen.state, [to])) {
      const message = `somebody else has moved ${issue.identifier} to ${seen.state} meanwhile`;
      throw new AppError('conflict', message, { reason: 'moved_meanwhile' });
    }
    await recordMove(deps, issue, { move, seen }, [done]);
  });
  deps.wake();
  return { ok: true, from, to };
}

/**
 * Whether a live attempt would be stopped by the next sync if the issue moved to the state `to`.
 */
async function stopsRun(
  db: Deps['db'],
  roles: StateRoles,
  issue: IssueRow,
  to: string,
): Promise<boolean> {
  const attempt = await currentAttempt(db, issue);
  const isLive = attempt?.status === 'queued' || attempt?.status === 'running';
  if (attempt === null || !isLive || attempt.cancel_requested_at_ms !== null) return false;
  const { stop } = decideTrackerChange(
    {
      status: issue.status,
      state: issue.state,
      parkedFingerprint: null,
      waitsToStart: false,
      waitsForPlan: false,
      isForPullRequest: kindForPullRequest(issue) !== null,
      trackerStarts: 0,
    },
    liveAttemptOf(attempt),
    {
      kind: 'present',
      state: to,
      active: isOneOf(to, roles.active),
      terminal: isOneOf(to, roles.terminal),
      fingerprint: '',
    },
  );
  return stop !== null;
}
