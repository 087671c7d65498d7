import type { IssueStatus, SubIssue } from '@switchyard/shared/api/work/issue';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';

/** Sub-issues that one reason names. */
const MAX_NAMED = 5;

/** The fields of an issue that tell whether it waits for its sub-issues. */
export type Parent = {
  status: IssueStatus;
  reason_code: ReasonCode | null;
  sub_issues: readonly SubIssue[];
};

type Part = Pick<SubIssue, 'identifier' | 'terminal'>;

/** What keeps an issue waiting for its sub-issues, as a text for people; null: nothing. Pure. */
export function openParts(parts: readonly Part[]): string | null {
  const open = parts.filter(({ terminal }) => !terminal);
  if (open.length === 0) return null;
  const names = open.slice(0, MAX_NAMED).map(({ identifier }) => identifier);
  const more = open.length > MAX_NAMED ? ` and ${open.length - MAX_NAMED} more` : '';
  const ended = `${parts.length - open.length} of ${parts.length} ended`;
  return `waits for its sub-issues ${names.join(', ')}${more} (${ended})`;
}

/**
 * As `openParts`, for dispatch. An issue with a pull request goes on with it: its sub-issues are not
 * waited for. Pure.
 */
export function partsToAwait(
  issue: Pick<Parent, 'sub_issues'> & { pull_request_url: string | null },
): string | null {
  return issue.pull_request_url === null ? openParts(issue.sub_issues) : null;
}

/** Whether nothing but its sub-issues has kept an issue waiting. Pure. */
export function isWaitingForParts({ status, reason_code: code }: Omit<Parent, 'sub_issues'>) {
  return status === 'idle' && code === 'sub_issues_open';
}

/** Whether the last of the sub-issues that an issue waited for has ended. Pure. */
export function endsByParts(issue: Parent): boolean {
  const { sub_issues: parts } = issue;
  return isWaitingForParts(issue) && parts.length > 0 && parts.every(({ terminal }) => terminal);
}

export type ParentEnd = {
  status: 'completed' | 'blocked';
  code: Extract<ReasonCode, 'sub_issues_done' | 'sub_issues_canceled'>;
  reason: string;
};

/**
 * What the end of all sub-issues means for their issue: it is done, unless none of them was done.
 * Pure.
 */
export function decideParentEnd(
  parts: readonly SubIssue[],
  /** The tracker's state for work that is done; null: all that end count as done. */
  doneState: string | null,
): ParentEnd {
  const nameOf = (state: string | null) => state?.trim().toLowerCase();
  const isDone = ({ state }: SubIssue) => doneState === null || nameOf(state) === nameOf(doneState);
  const done = parts.filter(isDone).length;
  const others = parts.filter((part) => !isDone(part));
  if (done === 0) {
    const reason = 'all sub-issues were closed, and none of them was done';
    return { status: 'blocked', code: 'sub_issues_canceled', reason };
  }
  const named = others.slice(0, MAX_NAMED).map(({ identifier, state }) => `${identifier} ${state}`);
  const rest = others.length === 0 ? '' : `; closed otherwise: ${named.join(', ')}`;
  const reason = `${done} of ${parts.length} sub-issues are done${rest}`;
  return { status: 'completed', code: 'sub_issues_done', reason };
}
