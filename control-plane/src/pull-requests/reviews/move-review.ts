import { and, eq, type SQL, sql } from 'drizzle-orm';
import { expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import type { Database, Statement } from '../../db/database.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { type ReviewRow, reviews } from '../../db/schema/work/reviews.ts';
import { appendEvents } from '../../observe/events/append-events.ts';

type Place = Pick<ReviewRow, 'state' | 'reason' | 'reason_code'>;
export type ReviewChange = Place & Partial<Omit<ReviewRow, 'pull_request_id' | 'number'>>;

/** Steps that add a review of a pull request; a conflict if another one was added since. */
export function insertReview(
  db: Database,
  row: Omit<typeof reviews.$inferInsert, 'updated_at_ms'>,
  identifier: string,
): Step[] {
  const inserted = db
    .insert(reviews)
    .values({ ...row, updated_at_ms: row.created_at_ms })
    .onConflictDoNothing();
  return [
    expectRowsAffected(inserted),
    ...reviewEvent(db, row.created_at_ms, { ...row, identifier }, { verdict: null, ...row }),
  ];
}

/** Steps that change a review; a conflict if it was changed since it was read. */
export function moveReview(
  db: Database,
  nowMs: number,
  { review, identifier }: { review: ReviewRow; identifier: string },
  change: ReviewChange,
): Step[] {
  // Two changes in one millisecond must differ, since the time tells whether a review has changed.
  const moved = { ...change, updated_at_ms: Math.max(nowMs, review.updated_at_ms + 1) };
  return [
    expectRowsAffected(db.update(reviews).set(moved).where(isAsRead(review))),
    ...reviewEvent(db, nowMs, { ...review, identifier }, { verdict: null, ...change }),
  ];
}

/** The statement by which an offered attempt becomes the one that reviews for its issue. */
export function reviewIsDoneBy(
  db: Database,
  { reviewing }: Pick<IssueRow, 'reviewing'>,
  attemptId: string,
): Statement {
  const newest = sql`${reviews.number} = (select max(n.number) from reviews n
    where n.pull_request_id = ${reviewing})`;
  return db
    .update(reviews)
    .set({ attempt_id: attemptId })
    .where(and(eq(reviews.pull_request_id, reviewing ?? ''), newest));
}

function isAsRead(review: ReviewRow): SQL | undefined {
  return and(
    eq(reviews.pull_request_id, review.pull_request_id),
    eq(reviews.number, review.number),
    eq(reviews.updated_at_ms, review.updated_at_ms),
  );
}

/** The event that tells of a review's new state. */
function reviewEvent(
  db: Database,
  nowMs: number,
  of: Pick<ReviewRow, 'pull_request_id' | 'number'> & { identifier: string },
  { state, verdict, reason, reason_code: reasonCode }: Place & Pick<ReviewRow, 'verdict'>,
): Statement[] {
  const { pull_request_id: pullRequestId, number, identifier } = of;
  const data = { pullRequestId, number, identifier, state, verdict, reason, reasonCode };
  return appendEvents(db, nowMs, [{ type: 'review.changed', atMs: nowMs, data }]);
}
