import { eq } from 'drizzle-orm';
import type { Database, Statement } from '../db/database.ts';
import { timers } from '../db/schema/outbox.ts';

/** `poll`: the tracker is asked; `retention`: old rows go; `webhook_check`: do others still send? */
export type TimerName = 'poll' | 'retention' | 'alerts' | 'webhook_check';

/** When a timer is due; 0 when it was never set. */
export async function timerDueAtMs(db: Database, name: TimerName): Promise<number> {
  const [row] = await db.select().from(timers).where(eq(timers.name, name));
  return row?.due_at_ms ?? 0;
}

/** Sets a timer. */
export function setTimer(db: Database, name: TimerName, dueAtMs: number): Statement {
  return db
    .insert(timers)
    .values({ name, due_at_ms: dueAtMs, payload: {} })
    .onConflictDoUpdate({ target: timers.name, set: { due_at_ms: dueAtMs } });
}
