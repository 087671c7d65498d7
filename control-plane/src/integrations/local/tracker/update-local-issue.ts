import { and, eq, not } from 'drizzle-orm';
import type { UpdateLocalIssue } from '@switchyard/shared/api/work/local-issue';
import { commitChange } from '../../../observe/events/commit-change.ts';
import { issueEvent } from '../../../issues/rows/issue-event.ts';
import { storeTrackerIssue } from '../../../issues/rows/store-tracker-issue.ts';
import type { Caller } from '../../../http/caller/caller.ts';
import { expectRowsAffected } from '../../../db/commit-steps.ts';
import type { Statement } from '../../../db/database.ts';
import { type LocalIssueRow, localIssues } from '../../../db/schema/work/local-issues.ts';
import { newIssueRow } from '../../../ports/tracker/issue-row.ts';
import { logTransition } from '../../../issues/rows/log-transition.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { storableLabels } from './create-local-issue.ts';
import { oneLineTitle, storableText } from './storable-text.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from './local-tracker-deps.ts';
import {
  indexRow,
  keepsChanging,
  localIssuesByIds,
  relativesOf,
  requireLocalIssue,
} from './queries.ts';
import { parentEvents, parentsAfter, touchParent } from './touch-parent.ts';
import {
  refuseCycle,
  refuseLargeTree,
  resolveBlockers,
  resolveParent,
  waitsForItself,
} from './tree.ts';
import { trackerIssue } from './tracker-issue.ts';

const MAX_TRIES = 5;

type Editable = Pick<
  LocalIssueRow,
  'title' | 'description' | 'state' | 'priority' | 'labels' | 'blocked_by' | 'parent_id'
>;

/**
 * Changes the given fields; an empty change is a no-op. Throws a 404 for an unknown issue, a 400
 * for a missing blocker or parent, a cycle, or a tree that would be too large.
 */
export async function updateLocalIssue(
  deps: LocalTrackerDeps,
  caller: Caller,
  input: { identifier: string; changes: UpdateLocalIssue },
): Promise<TrackerIssue> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const current = await requireLocalIssue(deps.db, input.identifier);
    const changes = differences(current, await wantedColumns(deps, current, input.changes));
    if (Object.keys(changes).length === 0)
      return trackerIssue(deps, current, await relativesOf(deps.db, [current]));
    const issue = await store(deps, caller, { current, changes });
    if (issue !== null) return issue;
  }
  throw keepsChanging(input);
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
  }
  const parent = changes.parent == null ? null : await resolveParent(deps.db, changes.parent);
  if (changes.parent !== undefined) wanted.parent_id = parent?.id ?? null;
  if (wanted.blocked_by !== undefined || parent !== null) {
    const path = wanted.blocked_by === undefined ? 'parent' : 'blockedBy';
    await refuseCycle(deps.db, placeOf({ ...current, ...wanted }), path);
  }
  if (parent !== null && parent.id !== current.parent_id)
    await refuseLargeTree(deps, parent, { movedId: current.id });
  return wanted;
}

function placeOf(row: Pick<LocalIssueRow, 'id' | 'identifier' | 'blocked_by' | 'parent_id'>) {
  const { id, identifier: name, blocked_by: blockerIds, parent_id } = row;
  return { id, name, blockerIds, parentId: parent_id };
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
  { current, changes }: { current: LocalIssueRow; changes: Partial<Editable> },
): Promise<TrackerIssue | null> {
  const nowMs = deps.clock.nowMs();
  // Always increases, even within a millisecond: the compare-and-swap checks it.
  const updatedAtMs = Math.max(nowMs, current.updated_at_ms + 1);
  const row = { ...current, ...changes, updated_at_ms: updatedAtMs };
  const issue = trackerIssue(deps, row, await relativesOf(deps.db, [row]));
  const isMoved = changes.blocked_by !== undefined || changes.parent_id !== undefined;
  const parents = changes.parent_id === undefined ? [] : await parentsOf(deps, current, row);
  const whole = await parentsAfter(deps, parents, [row]);
  const known = await indexRow(deps.db, current.id);
  const committed = await commitChange(deps, {
    swap: deps.db
      .update(localIssues)
      .set({ ...changes, updated_at_ms: updatedAtMs })
      .where(
        and(
          eq(localIssues.id, current.id),
          eq(localIssues.updated_at_ms, current.updated_at_ms),
          isMoved ? not(waitsForItself(placeOf(row))) : undefined,
        ),
      ),
    also: [
      ...parents.map((parent) => expectRowsAffected(touchParent(deps, parent))),
      ...[issue, ...whole].map((one) => storeTrackerIssue(deps.db, LOCAL_TRACKER, one)),
      ...(changes.state === undefined ? [] : [moved(deps, caller, current, changes.state)]),
    ],
    audit: {
      caller,
      operation: 'local_issue.update',
      subject: current.identifier,
      details: auditDetails(current, changes, parents),
    },
    events: [
      issueEvent(known ?? newIssueRow(LOCAL_TRACKER, issue)),
      ...(await parentEvents(deps, whole)),
    ],
    nowMs,
  });
  return committed ? issue : null;
}

/** The former and the new parent of an issue that is moved. */
async function parentsOf(
  { db }: Pick<LocalTrackerDeps, 'db'>,
  before: LocalIssueRow,
  after: LocalIssueRow,
): Promise<LocalIssueRow[]> {
  const ids = [before.parent_id, after.parent_id].filter((id) => id !== null);
  return localIssuesByIds(db, ids);
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
function auditDetails(
  current: LocalIssueRow,
  changes: Partial<Editable>,
  parents: readonly LocalIssueRow[],
): Record<string, unknown> {
  const nameOf = (id: string | null) =>
    parents.find((parent) => parent.id === id)?.identifier ?? null;
  const moved = changes.state === undefined ? {} : { from: current.state, to: changes.state };
  const parent =
    changes.parent_id === undefined
      ? {}
      : { parentFrom: nameOf(current.parent_id), parentTo: nameOf(changes.parent_id) };
  return { changed: Object.keys(changes), ...moved, ...parent };
}
