import { and, eq, type SQL } from 'drizzle-orm';
import { expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import type { Database, Statement } from '../../db/database.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { mergeQueue, type MergeQueueRow } from '../../db/schema/work/merge-queue.ts';
import { appendEvents } from '../../observe/events/append-events.ts';

type Place = Pick<MergeQueueRow, 'state' | 'reason' | 'reason_code'>;
export type PlaceChange = Place & Partial<Omit<MergeQueueRow, 'pull_request_id'>>;

/** Steps that put a pull request into the merge queue; a conflict if it is there already. */
export function insertMergeEntry(db: Database, row: MergeQueueRow, identifier: string): Step[] {
  return [
    expectRowsAffected(db.insert(mergeQueue).values(row).onConflictDoNothing()),
    ...placeEvent(db, row.updated_at_ms, { ...row, identifier }, row),
  ];
}

/** Steps that move a pull request within the queue; a conflict if it moved since it was read. */
export function moveMergeEntry(
  db: Database,
  nowMs: number,
  { entry, identifier }: { entry: MergeQueueRow; identifier: string },
  change: PlaceChange,
): Step[] {
  const moved = { ...change, updated_at_ms: laterThan(entry, nowMs) };
  return [
    expectRowsAffected(db.update(mergeQueue).set(moved).where(isAsRead(entry))),
    ...placeEvent(db, nowMs, { ...entry, identifier }, change),
  ];
}

/** Steps that take a pull request out of the queue; a conflict if it moved since it was read. */
export function deleteMergeEntry(
  db: Database,
  nowMs: number,
  { entry, identifier }: { entry: MergeQueueRow; identifier: string },
): Step[] {
  return [
    expectRowsAffected(db.delete(mergeQueue).where(isAsRead(entry))),
    ...placeEvent(db, nowMs, { ...entry, identifier }, null),
  ];
}

/** The statement that removes the entry of a pull request that is no longer known. */
export function forgetMergeEntry(db: Database, pullRequestId: string): Statement {
  return db.delete(mergeQueue).where(eq(mergeQueue.pull_request_id, pullRequestId));
}

/** The statement by which an offered attempt becomes the one that tests an issue's merge. */
export function mergeIsTestedBy(
  db: Database,
  { merging }: Pick<IssueRow, 'merging'>,
  attemptId: string,
): Statement {
  return db
    .update(mergeQueue)
    .set({ attempt_id: attemptId })
    .where(eq(mergeQueue.pull_request_id, merging ?? ''));
}

/** Two moves in one millisecond must differ, since the time tells whether an entry has moved. */
function laterThan({ updated_at_ms: lastMs }: MergeQueueRow, nowMs: number): number {
  return Math.max(nowMs, lastMs + 1);
}

function isAsRead(entry: MergeQueueRow): SQL | undefined {
  return and(
    eq(mergeQueue.pull_request_id, entry.pull_request_id),
    eq(mergeQueue.state, entry.state),
    eq(mergeQueue.updated_at_ms, entry.updated_at_ms),
  );
}

/** The event that tells of a pull request's new place in the merge queue; null: it has left. */
function placeEvent(
  db: Database,
  nowMs: number,
  of: Pick<MergeQueueRow, 'pull_request_id'> & { identifier: string },
  place: Place | null,
): Statement[] {
  const data = {
    pullRequestId: of.pull_request_id,
    identifier: of.identifier,
    state: place?.state ?? null,
    reason: place?.reason ?? null,
    reasonCode: place?.reason_code ?? null,
  };
  return appendEvents(db, nowMs, [{ type: 'merge_queue.changed', atMs: nowMs, data }]);
}
