import { and, count, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { type RequestRow, requests } from '../../db/schema/work/requests.ts';

/** A request as people see it; `isPlanStale`: its plan waits, and its issue has changed since. */
export type ShownRequest = RequestRow & { isPlanStale: number };

/** The columns of a request as people see it. */
export const shownRequest = {
  ...getTableColumns(requests),
  isPlanStale: sql<number>`(${requests.plan} is not null and ${requests.state} = 'asked'
    and exists (select 1 from attempts a join issues i on i.tracker = a.tracker and i.id = a.issue_id
      where a.attempt_id = ${requests.attempt_id} and (a.spec ->> '$.issue.title' is not i.title
        or a.spec ->> '$.issue.description' is not i.description)))`.as('is_plan_stale'),
};

/** A page of the questions in one state, or in all, newest first, and their total number. */
export async function requestPage(
  db: Database,
  page: { state?: RequestRow['state'] | undefined; limit: number; offset: number },
): Promise<{ rows: ShownRequest[]; total: number }> {
  const filter = page.state === undefined ? undefined : eq(requests.state, page.state);
  const [rows, counted] = await db.batch([
    db
      .select(shownRequest)
      .from(requests)
      .where(filter)
      .orderBy(desc(requests.asked_at_ms))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(requests).where(filter),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
}

/** A request with the attempt whose agent made it. */
export type RequestOfAttempt = { request: RequestRow; attempt: AttemptRow };

export async function requestOfAttempt(
  db: Database,
  requestId: string,
): Promise<RequestOfAttempt | null> {
  const [found] = await db
    .select({ request: requests, attempt: attempts })
    .from(requests)
    .innerJoin(attempts, eq(attempts.attempt_id, requests.attempt_id))
    .where(eq(requests.request_id, requestId))
    .limit(1);
  return found ?? null;
}

/** The newest open request of an attempt; null when there is none. */
export async function openRequest(
  db: Database,
  attemptId: string | null,
): Promise<RequestRow | null> {
  if (attemptId === null) return null;
  const [row] = await db
    .select()
    .from(requests)
    .where(and(eq(requests.attempt_id, attemptId), eq(requests.state, 'asked')))
    .orderBy(desc(requests.asked_at_ms))
    .limit(1);
  return row ?? null;
}
