import { count, desc, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type RequestRow, requests } from '../../db/schema/work/requests.ts';

/** A page of the questions in one state, or in all, newest first, and their total number. */
export async function requestPage(
  db: Database,
  page: { state?: RequestRow['state'] | undefined; limit: number; offset: number },
): Promise<{ rows: RequestRow[]; total: number }> {
  const filter = page.state === undefined ? undefined : eq(requests.state, page.state);
  const [rows, counted] = await db.batch([
    db
      .select()
      .from(requests)
      .where(filter)
      .orderBy(desc(requests.asked_at_ms))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(requests).where(filter),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
}
