import { eq } from 'drizzle-orm';
import type { Database, Statement } from '../db/database.ts';
import { timers } from '../db/schema/outbox.ts';

const POLL = 'poll';

/** When the tracker is to be asked next; 0 when it never was. */
export async function pollDueAtMs(db: Database): Promise<number> {
  const [row] = await db.select().from(timers).where(eq(timers.name, POLL));
  return row?.due_at_ms ?? 0;
}

/** Sets the next look at the tracker. */
export function setPollDue(db: Database, dueAtMs: number): Statement {
  return db
    .insert(timers)
    .values({ name: POLL, due_at_ms: dueAtMs, payload: {} })
    .onConflictDoUpdate({ target: timers.name, set: { due_at_ms: dueAtMs } });
}
