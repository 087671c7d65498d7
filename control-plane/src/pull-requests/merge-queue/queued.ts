import { AGENT_STATUSES } from '@switchyard/shared/reasons/needs-of';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { MergeQueueRow } from '../../db/schema/work/merge-queue.ts';
import type { Deps } from '../../deps.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import type { Queued } from './decide.ts';

/** A pull request's place as the order of its queue is decided by. */
export function queued(
  { trackers }: Pick<Deps, 'trackers'>,
  { issue, entry }: { issue: IssueRow; entry: MergeQueueRow },
): Queued {
  const terminal = trackers.get(issue.tracker)?.stateRoles().terminal ?? [];
  return {
    id: entry.pull_request_id,
    line: lineOf(entry),
    state: entry.state,
    priority: issue.priority,
    enteredAtMs: entry.entered_at_ms,
    notBeforeMs: entry.not_before_ms,
    blockers: issue.blocked_by
      .filter((blocker) => !blocker.terminal)
      .map(({ identifier }) => identifier),
    waitsForIssue: isOneOf(issue.state, terminal)
      ? `waits because its issue is ${issue.state} in the tracker`
      : whyItIsNotDone(issue),
  };
}

/** The queue that a pull request is in: that of its repository and base branch. */
function lineOf({ repository_url: url, base }: MergeQueueRow): string {
  return `${url} ${base}`;
}

function whyItIsNotDone(issue: Pick<IssueRow, 'status'>): string | null {
  if (issue.status === 'completed') return null;
  if (isWorkedOn(issue)) return 'waits for the agent, which works on its issue';
  return `waits for its issue, which is ${issue.status}`;
}

/** Whether an agent works on an issue, or will; a test of its merge counts as work. */
export function isWorkedOn({ status }: Pick<IssueRow, 'status'>): boolean {
  return (AGENT_STATUSES as readonly string[]).includes(status);
}
