import { sql } from 'drizzle-orm';
import type { Database } from '../../../db/database.ts';

/**
 * Takes the next issue number. One statement, so that two creates never get the same one; a create
 * that fails afterwards leaves a gap, and no number is ever used twice.
 */
export async function reserveNumber(db: Database): Promise<number> {
  const rows = await db.all<{ value: number }>(sql`
    insert into counters (name, value)
      select 'local_issue_number', coalesce(max(number), 0) + 1 from local_issues where true
    on conflict (name) do update set value = max(value, excluded.value - 1) + 1
    returning value`);
  const value = rows[0]?.value;
  if (value === undefined) throw new Error('the counter of issue numbers returned no row');
  return value;
}
