import { and, eq, inArray } from 'drizzle-orm';
import { expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import type { Database } from '../../db/database.ts';
import { type PullRequestRow, pullRequests } from '../../db/schema/work/pull-requests.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { pullRequestEvent } from './pull-request-event.ts';

type Status = PullRequestRow['status'];
const OPERATIONS = { merged: 'merge', closed: 'close', open: 'reopen' } as const;

/**
 * Steps that store the end or reopening of a pull request, with audit and event. They conflict
 * unless its status is one of `from`. `url` is its address for people.
 */
export function setPullRequestStatus(
  db: Database,
  nowMs: number,
  row: PullRequestRow,
  to: {
    status: Status;
    mergeCommitSha: string | null;
    from: readonly Status[];
    caller: Caller;
    url: string | null;
  },
): Step[] {
  const { id, issue_identifier: subject } = row;
  const { status, mergeCommitSha, from, caller, url } = to;
  const change = { status, merge_commit_sha: mergeCommitSha, updated_at_ms: nowMs };
  const event = pullRequestEvent({ ...row, ...change, url });
  return [
    expectRowsAffected(
      db
        .update(pullRequests)
        .set(change)
        .where(and(eq(pullRequests.id, id), inArray(pullRequests.status, [...from]))),
    ),
    auditStatement(db, nowMs, caller, {
      operation: `pull_request.${OPERATIONS[status]}`,
      subject,
      details: status === 'open' ? { id } : { id, mergeCommitSha },
    }),
    ...appendEvents(db, nowMs, [{ ...event, atMs: nowMs }]),
  ];
}
