import { swapIssue } from '../db/rows/update-issue.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { issueEvent } from '../issues/rows/issue-event.ts';
import { type ChangeDeps, commitChange } from '../observe/events/commit-change.ts';
import type { Why } from '../runners/failover/decide-engine.ts';

/**
 * Stores on an issue why it does not start now, for example that all slots are taken. `queued`: a free
 * slot is all it needs; `idle`: it could not run even then.
 */
export async function storeWaitingReason(
  deps: ChangeDeps,
  issue: IssueRow,
  { status, code, reason }: Why & { status: 'queued' | 'idle' },
): Promise<void> {
  if (issue.status === status && issue.reason === reason && issue.reason_code === code) return;
  const nowMs = deps.clock.nowMs();
  const change = { status, reason, reason_code: code };
  const isQueued = status === 'queued';
  const queuedSinceMs = isQueued ? (issue.queued_since_ms ?? nowMs) : null;
  // Where the issue was modified in between, the next dispatch stores what is true then.
  await commitChange(deps, {
    swap: swapIssue(deps.db, issue, { ...change, queued_since_ms: queuedSinceMs }),
    events: [issueEvent({ ...issue, ...change }, isQueued ? 'issue.queued' : 'issue.updated')],
    nowMs,
  });
}
