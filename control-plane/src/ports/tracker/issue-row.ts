import type { IssueRow } from '../../db/schema/work/issues.ts';
import { boundedIssue } from './bounded-issue.ts';
import { isGone } from './out-of-sight.ts';
import type { TrackerIssue } from './tracker.ts';

/** A tracker's issue as columns of its row. */
export function trackerColumns(tracker: string, given: TrackerIssue) {
  const issue = boundedIssue(given);
  const subIssues = issue.subIssues ?? [];
  return {
    tracker,
    id: issue.id,
    identifier: issue.identifier,
    title: issue.title,
    description: issue.description,
    priority: issue.priority,
    state: issue.state,
    branch_name: issue.branchName,
    url: issue.url,
    labels: issue.labels,
    assignee_id: issue.assigneeId,
    blocked_by: issue.blockedBy,
    parent: issue.parent ?? null,
    sub_issues: subIssues,
    dispatchable: [...issue.blockedBy, ...subIssues].every(({ terminal }) => terminal),
    native_ref: issue.nativeRef,
    unroutable: issue.unroutable ?? null,
    created_at_ms: issue.createdAtMs,
    updated_at_ms: issue.updatedAtMs,
  } satisfies Partial<IssueRow>;
}

/** The tracker's issue rebuilt from its row, as last synced. */
export function mirroredIssue(row: IssueRow): TrackerIssue {
  return {
    id: row.id,
    identifier: row.identifier,
    title: row.title,
    description: row.description,
    priority: row.priority,
    state: row.state,
    branchName: row.branch_name,
    url: row.url,
    labels: row.labels,
    assigneeId: row.assignee_id,
    blockedBy: row.blocked_by,
    parent: row.parent,
    subIssues: row.sub_issues,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    nativeRef: row.native_ref,
    unroutable: isGone(row.unroutable) ? null : row.unroutable,
  };
}

/** The row of a new issue about which nothing is decided yet. */
export function newIssueRow(tracker: string, issue: TrackerIssue): IssueRow {
  return {
    ...trackerColumns(tracker, issue),
    status: 'idle',
    reason: null,
    reason_code: null,
    current_attempt_id: null,
    on_trial: false,
    attempt_count: 0,
    run_count: 0,
    failure_count: 0,
    next_retry_at_ms: null,
    model: null,
    reasoning_effort: null,
    template_id: null,
    engine: null,
    thread_id: null,
    thread_engine: null,
    branch: null,
    workspace_key: null,
    pull_request_url: null,
    plan_request_id: null,
    merging: null,
    reviewing: null,
    tokens: { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 },
    cost_usd: null,
    unpriced_tokens: 0,
    parked_fingerprint: null,
    tracker_starts_ms: null,
    unattended_runs: 0,
    parked_kind: null,
    budget_from_tokens: 0,
    budget_from_attempts: 0,
    repository_url: null,
    read_only: false,
    queued_since_ms: null,
    version: 1,
  };
}
