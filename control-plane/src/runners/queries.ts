import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/attempts.ts';
import { type RequestRow, requests, steers } from '../db/schema/requests.ts';
import { type RunnerRow, runners } from '../db/schema/runners.ts';

export async function runnerById(db: Database, runnerId: string): Promise<RunnerRow | null> {
  const rows = await db.select().from(runners).where(eq(runners.runner_id, runnerId)).limit(1);
  return rows[0] ?? null;
}

export async function allRunners(db: Database): Promise<RunnerRow[]> {
  return db.select().from(runners);
}

/** Condition for "a runner's lease covers this attempt": offered or running, not yet released. */
function heldAttempts() {
  return and(inArray(attempts.status, ['queued', 'running']), isNull(attempts.released_at_ms));
}

/** Attempts offered to or held by a runner. */
export async function attemptsOfRunner(db: Database, runnerId: string): Promise<AttemptRow[]> {
  return db
    .select()
    .from(attempts)
    .where(and(eq(attempts.runner_id, runnerId), heldAttempts()));
}

/** Answers given but not yet confirmed by the engine, and words not yet confirmed as delivered. */
export async function openOrders(
  db: Database,
  attemptIds: string[],
): Promise<{ answers: RequestRow[]; steers: (typeof steers.$inferSelect)[] }> {
  if (attemptIds.length === 0) return { answers: [], steers: [] };
  const [answers, words] = await db.batch([
    db
      .select()
      .from(requests)
      .where(and(inArray(requests.attempt_id, attemptIds), eq(requests.state, 'answered'))),
    db
      .select()
      .from(steers)
      .where(and(inArray(steers.attempt_id, attemptIds), isNull(steers.delivered_at_ms))),
  ]);
  return { answers, steers: words };
}
