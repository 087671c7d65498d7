import { and, eq, gt } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { updateIssue } from '../../issues/rows/update-issue.ts';
import { issueEvent } from '../../issues/rows/issue-event.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import { issueFingerprint } from '../../attempts/fingerprint.ts';
import { SERVICE_CALLER } from '../../observe/audit/caller.ts';
import type { Database } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { type JobRow, jobs } from '../../db/schema/operation/jobs.ts';
import type { Deps } from '../../deps.ts';
import { issueById } from '../../issues/queries.ts';
import type { Effect } from '../../jobs/queue/effect.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import { logTransition } from '../../issues/tracker/log-transition.ts';
import { findState, isOneOf } from '../../issues/tracker/find-state.ts';
import type { StateRoles } from '../../issues/tracker/tracker.ts';

type Transition = Extract<Effect, { kind: 'tracker.transition' }>;

/** Why we move an issue, for the log of moves. */
const REASONS: Record<Transition['role'], string> = {
  started: 'work started',
  review: 'ready for review',
  blocked: 'work is blocked',
  done: 'its pull request was merged',
};

/**
 * Moves the tracker issue to the state of a role. The index follows in the same step, so that our
 * own move is never taken for a person's.
 */
export async function transitionIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers' | 'events'>,
  row: JobRow,
  effect: Transition,
): Promise<void> {
  const issue = await issueById(deps.db, { tracker: row.tracker ?? '', id: row.issue_id ?? '' });
  const tracker = deps.trackers.get(row.tracker ?? '');
  if (issue === null || tracker === undefined) throw new JobRefused('the issue is gone');
  const state = stateOfRole(tracker.stateRoles(), effect.role);
  if (state === null || isOneOf(issue.state, [state])) return;
  if (await isOvertaken(deps.db, row, effect)) return;
  await tracker.transition(issue.id, state);
  const moved = { ...issue, state };
  const nowMs = deps.clock.nowMs();
  const change = {
    state,
    // The tracker's own time follows with the next sync; until then ours is near enough.
    updated_at_ms: Math.max(nowMs, issue.updated_at_ms),
    parked_fingerprint: issue.parked_fingerprint === null ? null : issueFingerprint(moved),
  };
  const move = { issue, from: issue.state, to: state, reason: REASONS[effect.role] };
  // Where somebody moved it meanwhile, what the tracker says is seen with the next sync.
  await commitChange(deps, {
    swap: updateIssue(deps.db, issue, change, eq(issues.state, issue.state)),
    also: [logTransition(deps.db, nowMs, { ...move, actor: SERVICE_CALLER.actor })],
    events: [issueEvent(issue)],
    nowMs,
  });
}

/**
 * Whether a wish that had to wait is no longer what the issue is to be: a later one stands beside
 * it, or the attempt ended whose start it was to show.
 */
async function isOvertaken(db: Database, row: JobRow, { role }: Transition): Promise<boolean> {
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
  return (await unionAll(later, ended).limit(1)).length > 0;
}

function stateOfRole(roles: StateRoles, role: Transition['role']): string | null {
  if (role !== 'done') return roles[role];
  return findState(roles.terminal, 'Done') ?? roles.terminal[0] ?? null;
}
