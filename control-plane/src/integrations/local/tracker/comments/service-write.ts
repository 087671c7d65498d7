import { commitChange } from '../../../../observe/events/commit-change.ts';
import { SERVICE_CALLER } from '../../../../http/caller/caller.ts';
import type { Statement } from '../../../../db/database.ts';
import type { LocalIssueRow } from '../../../../db/schema/work/local-issues.ts';
import { TrackerError } from '../../../../ports/tracker/tracker.ts';
import type { LocalTrackerDeps } from '../local-tracker-deps.ts';
import { localIssueById } from '../queries.ts';

/** The issue of a call through the port; throws a `TrackerError` when it was deleted. */
export async function issueForService(
  deps: Pick<LocalTrackerDeps, 'db'>,
  issueId: string,
): Promise<LocalIssueRow> {
  const row = await localIssueById(deps.db, issueId);
  if (row === undefined) throw new TrackerError('status', `issue ${issueId} not found`);
  return row;
}

/**
 * Commits the service's own write with its audit row. A write that changes no row was made before:
 * nothing is stored, and the result is false.
 */
export async function commitServiceWrite(
  deps: LocalTrackerDeps,
  issue: LocalIssueRow,
  write: {
    statement: Statement;
    /** Further statements for the same commit. */
    also?: readonly Statement[];
    operation: string;
    details: Record<string, unknown>;
  },
): Promise<boolean> {
  const caller = { ...SERVICE_CALLER, path: 'tracker' };
  return commitChange(deps, {
    swap: write.statement,
    also: write.also ?? [],
    audit: {
      caller,
      operation: write.operation,
      subject: issue.identifier,
      details: write.details,
    },
  });
}
