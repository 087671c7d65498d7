import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { Step } from '../../db/commit-steps.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { issueEvent } from '../../issues/rows/issue-event.ts';
import { swapIssue } from '../../db/rows/update-issue.ts';
import { type ChangeDeps, commitChange } from '../../observe/events/commit-change.ts';

/**
 * Records a new reason for an issue whose status stays. False if it was modified since it was read.
 */
export async function storeReason(
  deps: ChangeDeps,
  issue: IssueRow,
  { reason, code }: { reason: string; code: ReasonCode },
  also: readonly Step[] = [],
): Promise<boolean> {
  const change = { reason, reason_code: code };
  const events = [issueEvent({ ...issue, ...change })];
  return commitChange(deps, { swap: swapIssue(deps.db, issue, change), also, events });
}
