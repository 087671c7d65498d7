import { eq } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { jobs } from '../../db/schema/operation/jobs.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../ports/ports.ts';
import type { Effect } from './effect.ts';
import { enqueueEffect, type EffectSubject } from './enqueue-effect.ts';

/**
 * Longer than the caller's own try can take; afterwards the job worker of the control plane
 * performs the effect.
 */
const TAKE_OVER_MS = 180_000;

/**
 * Performs an effect at once for a caller that waits for its result. The effect is stored as a job
 * first, and `act` marks it done in the batch that records the result. If the caller's try is cut
 * off, the job worker performs the effect again. An effect refused with an `AppError` is deleted.
 */
export async function performNow<T>(
  deps: { db: Database; clock: Clock },
  wish: {
    key: string;
    effect: Effect;
    subject: EffectSubject;
    /** Statements stored in the same batch as the job. */
    also?: readonly Statement[];
  },
  act: (done: Statement) => Promise<T>,
): Promise<T> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const isWish = eq(jobs.key, wish.key);
  await db.batch([
    enqueueEffect(db, nowMs, { ...wish, repeat: true, dueAtMs: nowMs + TAKE_OVER_MS }),
    ...(wish.also ?? []),
  ]);
  try {
    return await act(
      db.update(jobs).set({ status: 'done', done_at_ms: nowMs, last_error: null }).where(isWish),
    );
  } catch (error) {
    if (error instanceof AppError) await db.delete(jobs).where(isWish);
    throw error;
  }
}
