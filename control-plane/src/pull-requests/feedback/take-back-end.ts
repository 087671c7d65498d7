import { and, eq } from 'drizzle-orm';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import { SERVICE_CALLER } from '../../observe/audit/caller.ts';
import type { PullRequestView } from '../code-host.ts';
import type { Statement } from '../../db/database.ts';
import { isFenced, requireChange } from '../../db/require-change.ts';
import { type PullRequestRow, pullRequests } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { appendEvents } from '../../observe/events/append.ts';
import { parkIssue } from '../../issues/park-issue.ts';
import { issueByIdentifier } from '../../issues/queries.ts';
import { enqueueEffect } from '../../jobs/outbox/enqueue.ts';
import { isAbout } from './record-end.ts';

const CALLER = { ...SERVICE_CALLER, path: 'feedback' };

/**
 * A pull request that had ended is open again, or merged after all: it counts as open, so that the
 * next look sees what follows, and an issue that only its end had blocked is delivered as before.
 */
export async function takeBackEnd(
  deps: Pick<Deps, 'db' | 'clock' | 'events'>,
  row: PullRequestRow,
  view: Pick<PullRequestView, 'status'>,
): Promise<void> {
  if (view.status === 'closed' || view.status === 'missing' || view.status === row.status) return;
  const issue = await issueByIdentifier(deps.db, row.issue_identifier);
  const nowMs = deps.clock.nowMs();
  const statements = reopened(deps, row, nowMs);
  try {
    const isSaid = issue?.reason_code === 'pull_request_closed' && isAbout(issue, row);
    if (issue?.status !== 'blocked' || !isSaid) {
      await deps.db.batch(statements);
    } else {
      const reason = `its pull request #${row.number} is open again`;
      const review = enqueueEffect(deps.db, nowMs, {
        key: `${row.id}:reopened:${nowMs}`,
        effect: { kind: 'tracker.transition', role: 'review' },
        subject: { tracker: issue.tracker, issueId: issue.id, attemptId: row.attempt_id },
        repeat: false,
      });
      const extra = [...statements, review];
      const code = 'pull_request_reopened';
      await parkIssue(deps, { issue, status: 'completed', reason, code, extra });
    }
  } catch (error) {
    // Seen by somebody else already, or the issue changed: then the next look sees how.
    const lost = isFenced(error) || (error instanceof AppError && error.code === 'conflict');
    if (!lost) throw error;
  }
  deps.events.notify(0);
}

function reopened(
  { db }: Pick<Deps, 'db'>,
  row: PullRequestRow,
  nowMs: number,
): [Statement, ...Statement[]] {
  const { id, url, branch, issue_identifier: identifier } = row;
  const data = { identifier, pullRequestId: id, url, branch, status: 'open', mergeCommitSha: null };
  return [
    db
      .update(pullRequests)
      .set({ status: 'open', updated_at_ms: nowMs })
      .where(and(eq(pullRequests.id, id), eq(pullRequests.status, 'closed'))),
    requireChange(db),
    auditStatement(db, nowMs, CALLER, {
      operation: 'pull_request.reopen',
      subject: identifier,
      details: { id },
    }),
    ...appendEvents(db, nowMs, [{ type: 'pull_request.opened', atMs: nowMs, data }]),
  ];
}
