import { groupBy } from '@switchyard/shared/group-by';
import type { Step } from '../../db/commit-steps.ts';
import type { Statement } from '../../db/database.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { pullRequestFeedback } from '../../db/schema/work/pull-request-feedback.ts';
import type { PullRequestRow } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { moveBackToWork } from '../../issues/sync/move-back-to-work.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import type { FeedbackItem } from '../../ports/code-host/code-host.ts';
import { feedbackText } from './feedback-text.ts';
import { forgetUndelivered } from './steer-with-feedback.ts';
import { storeReason } from './store-reason.ts';

const CALLER = { ...SERVICE_CALLER, path: 'feedback' };

type Round = {
  row: PullRequestRow;
  issue: IssueRow;
  round: number;
  items: FeedbackItem[];
  /** False: the limit was reached, and no attempt is started. */
  started: boolean;
  /** Further steps of the batch. */
  also: readonly Step[];
};

/**
 * Stores a round of feedback and queues an attempt on the same branch for it. Returns false and
 * stores nothing if the issue was modified since it was read; the next sync then decides again.
 */
export async function queueRound(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers'>,
  given: Round,
): Promise<boolean> {
  const { row, issue, round, started } = given;
  const nowMs = deps.clock.nowMs();
  const summary = summaryOf(given.items);
  const also = [
    ...given.also,
    ...storeRound(deps, given, nowMs),
    ...(started
      ? await moveBackToWork(deps, nowMs, { issue, key: `feedback:${row.id}:${round}` })
      : []),
  ];
  if (started) {
    const reason = `more to do on pull request #${row.number}: ${summary}`;
    // Run and failure counts are reset, but the budget is not: only people grant more of it.
    const fromPeople = given.items.some(({ kind }) => kind === 'review' || kind === 'comment');
    const runs = fromPeople ? { unattended_runs: 0 } : {};
    const set = { run_count: 0, failure_count: 0, ...runs };
    const change = { status: 'queued', reason, code: 'feedback_received', set } as const;
    return setIssueStatus(deps, { issue, ...change, also });
  }
  const reason = `no attempt is left for what was said on pull request #${row.number} (${summary}); retry it to go on`;
  return storeReason(deps, issue, { reason, code: 'feedback_limit' }, also);
}

function storeRound(deps: Pick<Deps, 'db'>, given: Round, nowMs: number): Statement[] {
  const { db } = deps;
  const { row, issue, round, items, started } = given;
  const keys = items.map(({ key }) => key);
  const data = { identifier: issue.identifier, pullRequestId: row.id, round, started, keys };
  return [
    db.insert(pullRequestFeedback).values({
      pull_request_id: row.id,
      round,
      tracker: issue.tracker,
      issue_id: issue.id,
      keys,
      started,
      created_at_ms: nowMs,
      body: feedbackText({ url: row.url, items }),
    }),
    forgetUndelivered(db, row, keys),
    auditStatement(db, nowMs, CALLER, {
      operation: 'issue.feedback',
      subject: issue.identifier,
      details: { pullRequestId: row.id, round, keys, started },
    }),
    ...appendEvents(db, nowMs, [{ type: 'pull_request.feedback', atMs: nowMs, data }]),
  ];
}

/** A short summary of the feedback for people, such as "2 × review, conflict". */
function summaryOf(items: readonly FeedbackItem[]): string {
  const names = {
    check: 'failed check',
    review: 'review',
    comment: 'comment',
    conflict: 'conflict',
    finding: 'finding of a review',
  };
  const counts = groupBy(items, ({ kind }) => kind);
  return [...counts]
    .map(([kind, those]) => (those.length === 1 ? names[kind] : `${those.length} × ${names[kind]}`))
    .join(', ');
}
