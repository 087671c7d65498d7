import { and, eq, gt, notInArray } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { updateIssue } from '../../db/rows/update-issue.ts';
import { issueEvent } from '../../issues/rows/issue-event.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { issueFingerprint } from '../../attempts/issue-fingerprint.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import type { Database } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { transitions } from '../../db/schema/work/transitions.ts';
import { type JobRow, jobs } from '../../db/schema/operation/jobs.ts';
import type { Deps } from '../../deps.ts';
import { issueById } from '../../issues/queries.ts';
import type { Effect } from '../../jobs/queue/effect.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import { logTransition, TRACKER_ACTOR } from '../../issues/rows/log-transition.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import { moveAndSee } from '../../ports/tracker/move-and-see.ts';
import { stateOfRole } from '../../ports/tracker/state-of-role.ts';

type Transition = Extract<Effect, { kind: 'tracker.transition' }>;

/** The reasons of this service's own moves, for the log of moves. */
const REASONS: Record<Transition['role'], string> = {
  started: 'work started',
  review: 'ready for review',
  blocked: 'work is blocked',
  done: 'its pull request was merged',
};

/**
 * Moves the tracker issue to the state of a role and stores the state that the tracker shows
 * afterwards, so that a sync never mistakes this move for a person's. Throws a TrackerError if the
 * tracker shows no change.
 */
export async function transitionIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers'>,
  row: JobRow,
  effect: Transition,
): Promise<void> {
  const issue = await issueById(deps.db, { tracker: row.tracker ?? '', id: row.issue_id ?? '' });
  const tracker = deps.trackers.get(row.tracker ?? '');
  if (issue === null || tracker === undefined) throw new JobRefused('the issue is gone');
  const roles = tracker.stateRoles();
  const state = stateOfRole(roles, effect.role);
  if (state === null || isOneOf(issue.state, [state])) return;
  // A person has ended the issue; only a request to work on it again reverts that.
  const isOver = isOneOf(issue.state, roles.terminal);
  if (isOver && (effect.role === 'review' || effect.role === 'blocked')) return;
  if (await isOvertaken(deps.db, row, { issue, role: effect.role })) return;
  const seen = await moveAndSee(tracker, issue.id, state);
  // Another person moved the issue further; the next sync records that move.
  if (!isOneOf(seen.state, [state])) return;
  const moved = { ...issue, state: seen.state };
  const nowMs = deps.clock.nowMs();
  const change = {
    state: seen.state,
    updated_at_ms: seen.updatedAtMs ?? nowMs,
    parked_fingerprint: issue.parked_fingerprint === null ? null : issueFingerprint(moved),
  };
  const reason = effect.reason ?? REASONS[effect.role];
  const move = { issue, from: issue.state, to: seen.state, reason };
  // If the row changed concurrently, the next sync stores what the tracker shows.
  await commitChange(deps, {
    swap: updateIssue(deps.db, issue, change, eq(issues.state, issue.state)),
    also: [logTransition(deps.db, nowMs, { ...move, actor: SERVICE_CALLER.actor })],
    events: [issueEvent(issue)],
    nowMs,
  });
}

/**
 * Whether a queued move is obsolete: a later one is queued, the attempt whose start it shows has
 * ended, or a person has moved the issue since. Moves seen by a sync are ignored, because their
 * time is not known.
 */
async function isOvertaken(
  db: Database,
  row: JobRow,
  { issue, role }: { issue: IssueRow; role: Transition['role'] },
): Promise<boolean> {
  const later = db
    .select({ key: jobs.key })
    .from(jobs)
    .where(
      and(
        eq(jobs.kind, row.kind),
        eq(jobs.tracker, row.tracker ?? ''),
        eq(jobs.issue_id, row.issue_id ?? ''),
        gt(jobs.created_at_ms, row.created_at_ms),
      ),
    );
  const ended = db
    .select({ key: attempts.attempt_id })
    .from(attempts)
    .where(
      and(
        eq(attempts.attempt_id, role === 'started' ? (row.attempt_id ?? '') : ''),
        gt(attempts.ended_at_ms, row.created_at_ms),
      ),
    );
  const moved = db
    .select({ key: transitions.identifier })
    .from(transitions)
    .where(
      and(
        eq(transitions.identifier, issue.identifier),
        eq(transitions.tracker, issue.tracker),
        notInArray(transitions.actor, [SERVICE_CALLER.actor, TRACKER_ACTOR]),
        gt(transitions.at_ms, row.created_at_ms),
      ),
    );
  return (await unionAll(later, ended, moved).limit(1)).length > 0;
}
