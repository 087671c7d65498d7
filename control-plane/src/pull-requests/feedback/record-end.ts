import { commitSteps, type Step } from '../../db/commit-steps.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import type { PullRequestView } from '../../ports/code-host/code-host.ts';
import type { Statement } from '../../db/database.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { type ChangeDeps, commitChange } from '../../observe/events/commit-change.ts';
import { ownLink } from '../../ports/code-host/own-link.ts';
import { setPullRequestStatus } from '../rows/set-pull-request-status.ts';
import { storeReason } from './store-reason.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';

type EndDeps = Pick<Deps, 'db' | 'clock' | 'trackers'>;
type Opened = Pick<PullRequestRow, 'id' | 'attempt_id'>;
type Ended = Pick<PullRequestView, 'mergeCommitSha'> & { status: 'merged' | 'closed' };

const CALLER = { ...SERVICE_CALLER, path: 'feedback' };

/**
 * Stores once how a pull request ended. A merge ends its issue in the tracker. Closing it without a
 * merge blocks a delivered issue, because a person has rejected the work and must say what is next.
 */
export async function recordEnd(
  deps: EndDeps,
  row: PullRequestRow,
  issue: IssueRow | null,
  end: Ended,
): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const { status, mergeCommitSha } = end;
  const steps = setPullRequestStatus(db, nowMs, row, {
    status,
    mergeCommitSha,
    from: ['open'],
    caller: CALLER,
    url: row.url,
  });
  // On a conflict another process stored it first, or the issue changed; the next sync decides
  // again.
  if (issue !== null && status === 'merged') {
    await noteMerged(deps, row, issue, steps);
  } else if (issue !== null && leavesWorkUndone(deps, row, issue)) {
    const why = { reason: closedReason(row), code: 'pull_request_closed' } as const;
    const also = [...steps, move(deps, row, issue, 'blocked')];
    await setIssueStatus(deps, { issue, status: 'blocked', ...why, also });
  } else await commitSteps(deps.db, steps);
}

/**
 * Stores what follows from a merge: the issue's move to done in the tracker, and the reason of a
 * delivered issue whose current pull request this is. Returns false and stores nothing if the issue
 * was modified since it was read.
 */
export async function noteMerged(
  deps: ChangeDeps,
  row: Opened & Pick<PullRequestRow, 'number' | 'url'>,
  issue: IssueRow,
  steps: readonly Step[] = [],
): Promise<boolean> {
  const also = [...steps, move(deps, row, issue, 'done')];
  if (issue.status !== 'completed' || !isAbout(issue, row)) return commitChange(deps, { also });
  const reason = `its pull request #${row.number} is merged`;
  return storeReason(deps, issue, { reason, code: 'pull_request_merged' }, also);
}

/** Why an issue is blocked whose pull request somebody closed. */
function closedReason({ number }: Pick<PullRequestRow, 'number'>): string {
  return `its pull request #${number} was closed without a merge`;
}

/**
 * Whether closing the pull request leaves the issue undone: it is the issue's current one, and no
 * person has ended the issue.
 */
function leavesWorkUndone(
  { trackers }: Pick<EndDeps, 'trackers'>,
  row: PullRequestRow,
  issue: IssueRow,
): boolean {
  const roles = trackers.get(issue.tracker)?.stateRoles();
  const isOver = roles !== undefined && isOneOf(issue.state, roles.terminal);
  return issue.status === 'completed' && !isOver && isAbout(issue, row);
}

/** Whether a pull request is the current one of an issue; true as well if the issue has none. */
export function isAbout(issue: IssueRow, { url }: Pick<PullRequestRow, 'url'>): boolean {
  if (issue.pull_request_url === null || url === null) return issue.pull_request_url === null;
  // Compares without the origin, which may have changed since the address was stored.
  return ownLink(null, issue.pull_request_url) === ownLink(null, url);
}

function move(
  { db, clock }: ChangeDeps,
  row: Opened,
  issue: IssueRow,
  role: 'done' | 'blocked',
): Statement {
  return enqueueEffect(db, clock.nowMs(), {
    key: role === 'done' ? `${row.id}:merged` : `${row.id}:closed`,
    effect: { kind: 'tracker.transition', role },
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId: row.attempt_id },
    repeat: false,
  });
}
