import { eq } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { jobs } from '../../db/schema/operation/jobs.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../ports/ports.ts';
import type { Effect } from './effect.ts';
import { enqueueEffect, type EffectSubject } from './enqueue-effect.ts';

/** Longer than a caller's own try takes; then the worker does what is left undone. */
const TAKE_OVER_MS = 180_000;

/**
 * Does an effect at once for a caller who waits for its answer. The effect is a row first, and
 * `act` ends it in the batch that records the result: whatever stops the caller's try in between,
 * the worker does the effect again. One that is refused with an `AppError` is withdrawn.
 */
export async function performNow<T>(
  deps: { db: Database; clock: Clock },
  wish: {
    key: string;
    effect: Effect;
    subject: EffectSubject;
    /** Stored with the wish. */
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
