import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { counters } from '../../db/schema/operation/events.ts';

/**
 * Takes the next number of a counter, at least `atLeast`. One statement, so that concurrent callers
 * get different numbers; no number is used twice.
 */
export async function nextNumber(
  db: Database,
  name: string,
  atLeast: SQL | number = 1,
): Promise<number> {
  const [number] = await nextNumbers(db, name, { atLeast, count: 1 });
  if (number === undefined) throw new Error(`the counter ${name} gave no number`);
  return number;
}

/** As `nextNumber`, several in a row. */
export async function nextNumbers(
  db: Database,
  name: string,
  { atLeast, count }: { atLeast: SQL | number; count: number },
): Promise<number[]> {
  const [row] = await db.all<{ value: number }>(sql`
    insert into counters (name, value) select ${name}, ${atLeast} + ${count - 1} where true
    on conflict (name) do update set value = max(value, excluded.value - ${count}) + ${count}
    returning value`);
  if (row === undefined) throw new Error(`the counter ${name} returned no row`);
  return Array.from({ length: count }, (_, at) => row.value - count + 1 + at);
}

/** The statement that creates a counter that does not exist yet. */
export function startCounter(db: Database, name: string, value: number): Statement {
  return db.insert(counters).values({ name, value }).onConflictDoNothing();
}

/** The statement that advances a counter by a compare-and-swap. */
export function moveCounter(
  db: Database,
  name: string,
  { from, to }: { from: number; to: number },
): Statement {
  return db
    .update(counters)
    .set({ value: to })
    .where(and(eq(counters.name, name), eq(counters.value, from)));
}
