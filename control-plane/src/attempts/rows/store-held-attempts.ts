import { and, eq, inArray, isNull, not, sql } from 'drizzle-orm';
import type { HeldItem } from '@switchyard/shared/protocol/messages';
import type { Database, Statement } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';

/**
 * Statements that record which of its running attempts a runner lists, and since when it omits one.
 */
export function storeHeldAttempts(
  db: Database,
  nowMs: number,
  runnerId: string,
  held: readonly Pick<HeldItem, 'attemptId' | 'epoch'>[],
): Statement[] {
  // Compares leases, not attempts: what a runner holds of an older lease does not count for the
  // present one.
  const listed = inArray(
    sql`${attempts.attempt_id} || ' ' || ${attempts.epoch}`,
    held.map((item) => `${item.attemptId} ${item.epoch}`),
  );
  const running = and(
    eq(attempts.runner_id, runnerId),
    eq(attempts.status, 'running'),
    isNull(attempts.released_at_ms),
  );
  return [
    db.update(attempts).set({ not_held_since_ms: null }).where(and(running, listed)),
    db
      .update(attempts)
      .set({ not_held_since_ms: nowMs })
      .where(and(running, not(listed), isNull(attempts.not_held_since_ms))),
  ];
}
