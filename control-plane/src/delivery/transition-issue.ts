import { and, eq, sql } from 'drizzle-orm';
import { issueFingerprint } from '../attempts/fingerprint.ts';
import { issues } from '../db/schema/issues.ts';
import type { OutboxRow } from '../db/schema/outbox.ts';
import type { Deps } from '../deps.ts';
import { issueById } from '../issues/queries.ts';
import type { Effect } from '../outbox/effect.ts';
import { EffectRefused } from '../outbox/run-outbox.ts';
import { findState, isOneOf } from '../trackers/normalise-state.ts';
import type { StateRoles } from '../trackers/tracker.ts';

type Transition = Extract<Effect, { kind: 'tracker.transition' }>;

/**
 * Moves the tracker issue to the state of a role. The index follows in the same step, so that our
 * own move is never taken for a person's.
 */
export async function transitionIssue(
  deps: Pick<Deps, 'db' | 'trackers'>,
  row: OutboxRow,
  effect: Transition,
): Promise<void> {
  const issue = await issueById(deps.db, { tracker: row.tracker ?? '', id: row.issue_id ?? '' });
  const tracker = deps.trackers.get(row.tracker ?? '');
  if (issue === null || tracker === undefined) throw new EffectRefused('the issue is gone');
  const state = stateOfRole(tracker.stateRoles(), effect.role);
  if (state === null || isOneOf(issue.state, [state])) return;
  await tracker.transition(issue.id, state);
  const moved = { ...issue, state };
  await deps.db
    .update(issues)
    .set({
      state,
      parked_fingerprint: issue.parked_fingerprint === null ? null : issueFingerprint(moved),
      version: sql`${issues.version} + 1`,
    })
    .where(
      and(
        eq(issues.tracker, issue.tracker),
        eq(issues.id, issue.id),
        eq(issues.state, issue.state),
      ),
    );
}

function stateOfRole(roles: StateRoles, role: Transition['role']): string | null {
  if (role !== 'done') return roles[role];
  return findState(roles.terminal, 'Done') ?? roles.terminal[0] ?? null;
}
