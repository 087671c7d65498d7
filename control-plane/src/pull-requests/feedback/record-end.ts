import { and, eq } from 'drizzle-orm';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import { SERVICE_CALLER } from '../../observe/audit/caller.ts';
import type { PullRequestView } from '../code-host.ts';
import type { Statement } from '../../db/database.ts';
import { isFenced, requireChange } from '../../db/require-change.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { type PullRequestRow, pullRequests } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { appendEvents } from '../../observe/events/append.ts';
import { parkIssue } from '../../issues/park-issue.ts';
import { enqueueEffect } from '../../jobs/outbox/enqueue.ts';
import { isOneOf } from '../../issues/tracker/normalise-state.ts';

type EndDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'trackers'>;
type Ended = Pick<PullRequestView, 'mergeCommitSha'> & { status: 'merged' | 'closed' };

const CALLER = { ...SERVICE_CALLER, path: 'feedback' };

/**
 * Stores how a pull request ended, once. A merged one ends its issue in the tracker. One that was
 * closed without a merge leaves a delivered issue blocked: a person has said no, and says what next.
 */
export async function recordEnd(
  deps: EndDeps,
  row: PullRequestRow,
  issue: IssueRow | null,
  end: Ended,
): Promise<void> {
  const statements = endStatements(deps, row, end);
  try {
    if (issue === null) await deps.db.batch(statements);
    else if (end.status === 'merged') {
      await deps.db.batch([...statements, move(deps, row, issue, 'done')]);
    } else if (leavesWorkUndone(deps, row, issue)) {
      const reason = closedReason(row);
      const extra = [...statements, move(deps, row, issue, 'blocked')];
      const code = 'pull_request_closed';
      await parkIssue(deps, { issue, status: 'blocked', reason, code, extra });
    } else await deps.db.batch(statements);
  } catch (error) {
    // Seen by somebody else already, or the issue changed: then the next look sees how.
    const lost = isFenced(error) || (error instanceof AppError && error.code === 'conflict');
    if (!lost) throw error;
  }
  deps.events.notify(0);
}

/** Why an issue is blocked whose pull request somebody closed. */
function closedReason({ number }: Pick<PullRequestRow, 'number'>): string {
  return `its pull request #${number} was closed without a merge`;
}

/** Only an issue that rests on just this pull request; what people ended stays ended. */
function leavesWorkUndone(
  { trackers }: Pick<EndDeps, 'trackers'>,
  row: PullRequestRow,
  issue: IssueRow,
): boolean {
  const roles = trackers.get(issue.tracker)?.stateRoles();
  const isOver = roles !== undefined && isOneOf(issue.state, roles.terminal);
  return issue.status === 'completed' && !isOver && isAbout(issue, row);
}

/** Whether it is the pull request that an issue rests on. */
export function isAbout(issue: IssueRow, { url }: Pick<PullRequestRow, 'url'>): boolean {
  return issue.pull_request_url === null || issue.pull_request_url === url;
}

function endStatements(
  { db, clock }: EndDeps,
  row: PullRequestRow,
  { status, mergeCommitSha }: Ended,
): [Statement, ...Statement[]] {
  const nowMs = clock.nowMs();
  const { id, url, branch, issue_identifier: identifier } = row;
  const data = { identifier, pullRequestId: id, url, branch, status, mergeCommitSha };
  return [
    db
      .update(pullRequests)
      .set({ status, merge_commit_sha: mergeCommitSha, updated_at_ms: nowMs })
      .where(and(eq(pullRequests.id, id), eq(pullRequests.status, 'open'))),
    requireChange(db),
    auditStatement(db, nowMs, CALLER, {
      operation: status === 'merged' ? 'pull_request.merge' : 'pull_request.close',
      subject: identifier,
      details: { id, mergeCommitSha },
    }),
    ...appendEvents(db, nowMs, [{ type: `pull_request.${status}`, atMs: nowMs, data }]),
  ];
}

function move(
  { db, clock }: EndDeps,
  row: PullRequestRow,
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
