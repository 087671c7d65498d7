import { and, eq, type SQL } from 'drizzle-orm';
import type { Statement } from '../../../db/database.ts';
import { type LocalIssueRow, localIssues } from '../../../db/schema/work/local-issues.ts';
import { issueEvent } from '../../../issues/rows/issue-event.ts';
import { newIssueRow } from '../../../ports/tracker/issue-row.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { nextUpdateMs } from './comments/touch-local-issue.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from './local-tracker-deps.ts';
import { indexRow, relativesOf } from './queries.ts';
import { trackerIssue } from './tracker-issue.ts';

/** The statement that marks a parent as changed if it is unchanged since it was read, and `also`. */
export function touchParent(
  { db, clock }: Pick<LocalTrackerDeps, 'db' | 'clock'>,
  { id, updated_at_ms: readAtMs }: LocalIssueRow,
  also?: SQL,
): Statement {
  return db
    .update(localIssues)
    .set({ updated_at_ms: nextUpdateMs(clock.nowMs()) })
    .where(and(eq(localIssues.id, id), eq(localIssues.updated_at_ms, readAtMs), also));
}

/** The parents as they are once the sub-issues in `changed` are new, or moved from or to them. */
export async function parentsAfter(
  deps: LocalTrackerDeps,
  parents: readonly LocalIssueRow[],
  changed: readonly LocalIssueRow[],
): Promise<TrackerIssue[]> {
  const { named, parts } = await relativesOf(deps.db, parents);
  const others = parts.filter(({ id }) => !changed.some((one) => one.id === id));
  const after = [...others, ...changed].toSorted((a, b) => a.number - b.number);
  const nowMs = deps.clock.nowMs();
  return parents.map((row) => {
    const updatedAtMs = Math.max(nowMs, row.updated_at_ms + 1);
    return trackerIssue(deps, { ...row, updated_at_ms: updatedAtMs }, { named, parts: after });
  });
}

/** The events of parents, each as it is recorded. */
export function parentEvents(
  { db }: Pick<LocalTrackerDeps, 'db'>,
  parents: readonly TrackerIssue[],
) {
  return Promise.all(
    parents.map(async (parent) =>
      issueEvent((await indexRow(db, parent.id)) ?? newIssueRow(LOCAL_TRACKER, parent)),
    ),
  );
}
