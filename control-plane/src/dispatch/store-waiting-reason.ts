import { swapIssue } from '../db/rows/update-issue.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { issueEvent } from '../issues/rows/issue-event.ts';
import { type ChangeDeps, commitChange } from '../observe/events/commit-change.ts';
import type { Why } from '../runners/failover/decide-engine.ts';

/**
 * Stores on an issue why dispatch does not start it now, for example that all slots are taken.
 * `queued`: it waits for a slot, a runner or the end of a pause; `idle`: dispatch would leave it out
 * even then, for example because a label is missing.
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
  // If the issue was modified concurrently, the next dispatch stores the reason that holds then.
  await commitChange(deps, {
    swap: swapIssue(deps.db, issue, { ...change, queued_since_ms: queuedSinceMs }),
    events: [issueEvent({ ...issue, ...change }, isQueued ? 'issue.queued' : 'issue.updated')],
    nowMs,
  });
}
