import type { Issue } from '@switchyard/shared/api/work/issue';
import { ownLink } from '../ports/code-host/own-link.ts';
import { isOutOfSight, whyGone } from '../ports/tracker/out-of-sight.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';

/** The issue as the API shows it to people who reach this service under `publicOrigin`. */
export function issueRecord(row: IssueRow, publicOrigin: string | null): Issue {
  return {
    id: row.id,
    identifier: row.identifier,
    tracker: row.tracker,
    title: row.title,
    description: row.description,
    priority: row.priority,
    state: row.state,
    branchName: row.branch ?? row.branch_name,
    url: row.url,
    labels: row.labels,
    assigneeId: row.assignee_id,
    blockedBy: row.blocked_by.map(({ id, identifier, state }) => ({ id, identifier, state })),
    parent: row.parent,
    subIssues: row.sub_issues,
    dispatchable: row.dispatchable,
    createdAt: new Date(row.created_at_ms).toISOString(),
    updatedAt: new Date(row.updated_at_ms).toISOString(),
    nativeRef: row.native_ref,
    status: row.status,
    reason: row.reason,
    reasonCode: row.reason_code,
    attemptCount: row.attempt_count,
    onTrial: row.on_trial,
    nextRetryAt:
      row.next_retry_at_ms === null ? null : new Date(row.next_retry_at_ms).toISOString(),
    engine: row.engine,
    model: row.model,
    templateId: row.template_id,
    pullRequestUrl:
      row.pull_request_url === null ? null : ownLink(publicOrigin, row.pull_request_url),
    tokens: row.tokens,
    costUsd: row.cost_usd,
    unpricedTokens: row.unpriced_tokens,
    outOfSight: isOutOfSight(row),
    outOfSightReason: whyGone(row.unroutable),
  };
}
