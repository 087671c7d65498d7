import { withoutStatusLine } from '@switchyard/shared/engine/status-of-line';
import type { Attempt } from '@switchyard/shared/api/work/attempt';
import { engineName } from '../config/sections/routing/format-problem.ts';
import { ownLink } from '../ports/code-host/own-link.ts';
import type { ShownAttempt } from './queries.ts';

function timestamp(ms: number): string;
function timestamp(ms: number | null): string | null;
function timestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** The attempt as the API shows it to people who reach this service under `publicOrigin`. */
export function attemptRecord(row: ShownAttempt, publicOrigin: string | null): Attempt {
  return {
    attemptId: row.attempt_id,
    issueId: row.issue_id,
    identifier: row.identifier,
    number: row.number,
    kind: row.kind,
    status: row.status,
    phase: row.phase,
    outcome: row.outcome,
    failureKind: row.failure_kind,
    reasonCode: row.status === 'queued' || row.status === 'running' ? null : row.reason_code,
    marker: row.marker,
    errorMessage: row.error_message,
    runnerId: row.runner_id,
    leaseEpoch: row.epoch,
    threadId: row.thread_id,
    turnId: row.turn_id,
    turnCount: row.turn_count,
    engine: engineName(row.engine),
    engineVersion: row.engine_version,
    account: row.account,
    failedOverFrom: row.failed_over_from,
    model: row.model,
    reasoningEffort: row.reasoning_effort,
    branch: row.branch,
    commitSha: row.commit_sha,
    pullRequestUrl:
      row.pull_request_url === null ? null : ownLink(publicOrigin, row.pull_request_url),
    summary: row.summary && withoutStatusLine(row.summary),
    tokens: row.tokens,
    costUsd: row.cost_usd,
    unpricedTokens: row.unpriced_tokens,
    queuedAt: timestamp(row.queued_at_ms),
    startedAt: timestamp(row.started_at_ms),
    endedAt: timestamp(row.ended_at_ms),
    stopRequestedAt: timestamp(row.cancel_requested_at_ms),
  };
}
