import type { Deps } from '../../deps.ts';
import { issueById } from '../../issues/queries.ts';
import { refuseUnreadable } from '../../ports/tracker/refuse-unreadable.ts';
import { syncIssues } from '../../issues/sync/sync-tracker-issues.ts';
import type { ActivityMessage } from './decide.ts';
import { handlePrompt } from './handle-prompt.ts';
import type { IssueInput } from './session-input.ts';
import { startWork } from './start-work.ts';

/**
 * Handles an event about an issue and returns the immediate reply; null when there is none, and the
 * session only gets the usual updates about the issue.
 */
export async function takeUpIssue(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'config' | 'trackers' | 'wake'>,
  input: IssueInput,
): Promise<ActivityMessage | null> {
  const key = { tracker: input.tracker, id: input.issueId };
  const tracker = deps.trackers.get(input.tracker);
  const known = await issueById(deps.db, key);
  // A message about a recorded issue needs no sync: a stop must not wait for the tracker.
  if (tracker !== undefined && (input.prompt === null || known === null)) {
    const { unreadable } = await syncIssues(deps, tracker, [input.issueId], {
      withInactive: true,
    });
    // The issue is not recorded yet, so the webhook fails and is retried.
    if (known === null) unreadable.forEach(refuseUnreadable);
  }
  const issue = await issueById(deps.db, key);
  if (issue === null) return null;
  if (input.prompt !== null) return handlePrompt(deps, issue, input);
  await startWork(deps, issue, input);
  return null;
}
