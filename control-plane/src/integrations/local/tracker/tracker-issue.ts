import type { LocalIssueRow } from '../../../db/schema/work/local-issues.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { localStateRoles } from './local-state-roles.ts';
import type { LocalTrackerDeps } from './local-tracker-deps.ts';
import { type Relatives, relativesOf } from './queries.ts';

/** Rows in the port's form, in the same order, with the present states of their relatives. */
export async function trackerIssues(
  deps: Pick<LocalTrackerDeps, 'db' | 'settings'>,
  rows: readonly LocalIssueRow[],
): Promise<TrackerIssue[]> {
  const relatives = await relativesOf(deps.db, rows);
  return rows.map((row) => trackerIssue(deps, row, relatives));
}

/** One row in the port's form. */
export function trackerIssue(
  deps: Pick<LocalTrackerDeps, 'settings'>,
  row: LocalIssueRow,
  { named, parts }: Relatives,
): TrackerIssue {
  const terminal = new Set(localStateRoles(deps.settings).terminal);
  const shown = ({ id, identifier, state }: LocalIssueRow) => ({
    id,
    identifier,
    state,
    terminal: terminal.has(state),
  });
  const byId = new Map(named.map((other) => [other.id, other]));
  const parent = byId.get(row.parent_id ?? '');
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
    blockedBy: row.blocked_by.flatMap((id) => byId.get(id) ?? []).map(shown),
    parent: parent === undefined ? null : { id: parent.id, identifier: parent.identifier },
    subIssues: parts.filter(({ parent_id }) => parent_id === row.id).map(shown),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    nativeRef: null,
  };
}
