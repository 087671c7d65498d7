import { and, eq, not } from 'drizzle-orm';
import type { UpdateLocalIssue } from '@switchyard/shared/api/work/local-issue';
import { commitChange } from '../../../observe/events/commit-change.ts';
import { issueEvent } from '../../../issues/rows/issue-event.ts';
import { storeTrackerIssue } from '../../../issues/rows/store-tracker-issue.ts';
import type { Caller } from '../../../http/caller/caller.ts';
import type { Statement } from '../../../db/database.ts';
import { type LocalIssueRow, localIssues } from '../../../db/schema/work/local-issues.ts';
import { AppError } from '../../../errors.ts';
import { newIssueRow } from '../../../ports/tracker/issue-row.ts';
import { logTransition } from '../../../issues/rows/log-transition.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { refuseBlockerCycle, resolveBlockers, waitsFor } from './blockers.ts';
import { storableLabels } from './create-local-issue.ts';
import { oneLineTitle, storableText } from './storable-text.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from './local-tracker-deps.ts';
import { indexRow, localIssuesByIds, requireLocalIssue } from './queries.ts';
import { trackerIssue } from './tracker-issue.ts';

const MAX_TRIES = 5;

type Editable = Pick<
  LocalIssueRow,
  'title' | 'description' | 'state' | 'priority' | 'labels' | 'blocked_by'
>;

/**
 * Changes the given fields; an empty change is a no-op. Throws a 404 for an unknown issue, a 400
 * for missing blockers or ones that create a cycle.
 */
export async function updateLocalIssue(
  deps: LocalTrackerDeps,
  caller: Caller,
  input: { identifier: string; changes: UpdateLocalIssue },
): Promise<TrackerIssue> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const current = await requireLocalIssue(deps.db, input.identifier);
    const changes = differences(current, await wantedColumns(deps, current, input.changes));
    const blockers = await localIssuesByIds(deps.db, changes.blocked_by ?? current.blocked_by);
    if (Object.keys(changes).length === 0) return trackerIssue(deps, current, blockers);
    const issue = await store(deps, caller, { current, changes, blockers });
    if (issue !== null) return issue;
  }
  throw new AppError('conflict', `issue ${input.identifier} keeps changing; try again`);
}

async function wantedColumns(
  deps: LocalTrackerDeps,
  current: LocalIssueRow,
  changes: UpdateLocalIssue,
): Promise<Partial<Editable>> {
  const wanted: Partial<Editable> = {};
  if (changes.title !== undefined) wanted.title = oneLineTitle(changes.title);
  if (changes.description !== undefined) {
    wanted.description = changes.description === null ? null : storableText(changes.description);
  }
  if (changes.state !== undefined) wanted.state = changes.state;
  if (changes.priority !== undefined) wanted.priority = changes.priority;
  if (changes.labels !== undefined) wanted.labels = storableLabels(changes.labels);
  if (changes.blockedBy !== undefined) {
    const blockers = await resolveBlockers(deps.db, changes.blockedBy);
    wanted.blocked_by = blockers.map((blocker) => blocker.id);
    await refuseBlockerCycle(deps.db, current, wanted.blocked_by);
  }
  return wanted;
}

/** The wanted columns that differ from the present ones. */
function differences(current: LocalIssueRow, wanted: Partial<Editable>): Partial<Editable> {
  const changed = Object.entries(wanted).filter(
    ([column, value]) =>
      JSON.stringify(current[column as keyof Editable]) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed);
}

/** Stores the changes; null when another writer was first. */
async function store(
  deps: LocalTrackerDeps,
  caller: Caller,
  input: { current: LocalIssueRow; changes: Partial<Editable>; blockers: LocalIssueRow[] },
): Promise<TrackerIssue | null> {
  const { current, changes, blockers } = input;
  const nowMs = deps.clock.nowMs();
  // Always increases, even within a millisecond: the compare-and-swap checks it.
  const updatedAtMs = Math.max(nowMs, current.updated_at_ms + 1);
  const issue = trackerIssue(
    deps,
    { ...current, ...changes, updated_at_ms: updatedAtMs },
    blockers,
  );
  const known = await indexRow(deps.db, current.id);
  const committed = await commitChange(deps, {
    swap: deps.db
      .update(localIssues)
      .set({ ...changes, updated_at_ms: updatedAtMs })
      .where(
        and(
          eq(localIssues.id, current.id),
          eq(localIssues.updated_at_ms, current.updated_at_ms),
          changes.blocked_by && not(waitsFor(changes.blocked_by, current.id)),
        ),
      ),
    also: [
      storeTrackerIssue(deps.db, LOCAL_TRACKER, issue),
      ...(changes.state === undefined ? [] : [moved(deps, caller, current, changes.state)]),
    ],
    audit: {
      caller,
      operation: 'local_issue.update',
      subject: current.identifier,
      details: auditDetails(current, changes),
    },
    events: [issueEvent(known ?? newIssueRow(LOCAL_TRACKER, issue))],
    nowMs,
  });
  return committed ? issue : null;
}

function moved(
  deps: LocalTrackerDeps,
  caller: Caller,
  current: LocalIssueRow,
  to: LocalIssueRow['state'],
): Statement {
  const issue = { tracker: LOCAL_TRACKER, id: current.id, identifier: current.identifier };
  const move = { issue, from: current.state, to, reason: null, actor: caller.actor };
  return logTransition(deps.db, deps.clock.nowMs(), move);
}

/** Names of the changed fields; long texts are not repeated in the audit log. */
function auditDetails(current: LocalIssueRow, changes: Partial<Editable>): Record<string, unknown> {
  const moved = changes.state === undefined ? {} : { from: current.state, to: changes.state };
  return { changed: Object.keys(changes), ...moved };
}
