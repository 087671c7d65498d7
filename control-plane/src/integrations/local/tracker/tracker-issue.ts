import type { LocalIssueRow } from '../../../db/schema/work/local-issues.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { localStateRoles } from './local-state-roles.ts';
import type { LocalTrackerDeps } from './local-tracker-deps.ts';
import { localIssuesByIds } from './queries.ts';

/** Rows in the port's form, in the same order, with the present states of their blockers. */
export async function trackerIssues(
  deps: Pick<LocalTrackerDeps, 'db' | 'settings'>,
  rows: readonly LocalIssueRow[],
): Promise<TrackerIssue[]> {
  const blockers = await localIssuesByIds(
    deps.db,
    rows.flatMap((row) => row.blocked_by),
  );
  return rows.map((row) => trackerIssue(deps, row, blockers));
}

/** One row in the port's form; `blockers` contains at least the rows that block it. */
export function trackerIssue(
  deps: Pick<LocalTrackerDeps, 'settings'>,
  row: LocalIssueRow,
  blockers: readonly LocalIssueRow[],
): TrackerIssue {
  const terminal = new Set(localStateRoles(deps.settings).terminal);
  const byId = new Map(blockers.map((blocker) => [blocker.id, blocker]));
  const blockedBy = row.blocked_by.flatMap((id) => {
    const blocker = byId.get(id);
    if (blocker === undefined) return [];
    const { identifier, state } = blocker;
    return [{ id, identifier, state, terminal: terminal.has(state) }];
  });
  return {
    id: row.id,
    identifier: row.identifier,
    title: row.title,
    description: row.description,
    priority: row.priority,
    state: row.state,
    branchName: null,
    url: deps.settings.issueUrl(row.identifier),
    labels: row.labels,
    assigneeId: null,
    blockedBy,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    nativeRef: null,
  };
}
