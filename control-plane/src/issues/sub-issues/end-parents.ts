import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { notifyIssueDone, notifyIssueGivenUp } from '../../notifications/notify-issue.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import { stateOfRole } from '../../ports/tracker/state-of-role.ts';
import type { StateRoles } from '../../ports/tracker/tracker.ts';
import { setIssueStatus } from '../set-issue-status.ts';
import { decideParentEnd, endsByParts, openParts } from './decide.ts';
import { parentsToUpdate } from './queries.ts';

/** Parents that one run updates. */
const MAX_PARENTS = 500;

/**
 * Ends the issues that waited for sub-issues of which the last has ended: they become done in their
 * tracker, or wait for a person when no sub-issue was done. Also says of issues that dispatch leaves
 * out that they wait for their sub-issues.
 */
export async function endParents(deps: Pick<Deps, 'db' | 'clock' | 'trackers'>): Promise<void> {
  for (const issue of await parentsToUpdate(deps.db, deps.trackers, MAX_PARENTS)) {
    const roles = deps.trackers.get(issue.tracker)?.stateRoles();
    if (roles === undefined) continue;
    if (endsByParts(issue)) await endParent(deps, issue, roles);
    // Dispatch stores the reasons of the others.
    else if (issue.status === 'blocked' || !isOneOf(issue.state, roles.active))
      await waitForParts(deps, issue);
  }
}

async function endParent(
  deps: Pick<Deps, 'db' | 'clock'>,
  issue: IssueRow,
  roles: StateRoles,
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const { tracker, id: issueId } = issue;
  const end = decideParentEnd(issue.sub_issues, stateOfRole(roles, 'done'));
  const move = enqueueEffect(deps.db, nowMs, {
    key: `sub-issues:${tracker}:${issueId}:${issue.version}`,
    effect: { kind: 'tracker.transition', role: 'done', reason: end.reason },
    subject: { tracker, issueId, attemptId: null },
    repeat: false,
  });
  const also =
    end.status === 'completed'
      ? [move, ...notifyIssueDone(deps.db, nowMs, issue, end.reason)]
      : notifyIssueGivenUp(deps.db, nowMs, issue, end);
  // If the issue was modified concurrently, the next run decides from its new row.
  await setIssueStatus(deps, { issue, ...end, also });
}

async function waitForParts(deps: Pick<Deps, 'db' | 'clock'>, issue: IssueRow): Promise<void> {
  const reason = openParts(issue.sub_issues);
  if (reason === null) return;
  const code = 'sub_issues_open';
  const set = { parked_fingerprint: null };
  await setIssueStatus(deps, { issue, status: 'idle', reason, code, set });
}
