import { and, asc, eq, lte, ne } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import type { Clock, Logger } from '../../ports.ts';
import { type OutboxRow, outbox } from '../../db/schema/operation/outbox.ts';
import { errorWords } from '../../error-words.ts';
import { Effect, NOTIFICATION_DELIVERY } from './effect.ts';

/** Tries after which an effect is dead and a person has to look. */
export const MAX_TRIES = 8;
const RETRY_BASE_MS = 2_000;
const RETRY_MAX_MS = 300_000;
const EFFECTS_PER_RUN = 50;

type OutboxDeps = { db: Database; clock: Clock; logger: Logger };

/** Does one effect. Throws to have it tried again; an `EffectRefused` ends it at once. */
export type EffectHandler = (row: OutboxRow, effect: Effect) => Promise<void>;
/** Told when an effect is given up, so that whoever waits for it can go on. */
export type EffectGivenUp = (
  row: OutboxRow,
  effect: Effect,
  end: { message: string; isRefused: boolean },
) => Promise<void>;

/** Trying again is useless, for example because the target is gone. */
export class EffectRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EffectRefused';
  }
}

/** Runs the effects that are due, oldest first. Safe to run twice: handlers are idempotent. */
export async function runOutbox(
  deps: OutboxDeps,
  handle: EffectHandler,
  givenUp: EffectGivenUp,
  /** Asked before each effect: an instance that was asleep must not go on where it was. */
  mayGoOn: () => Promise<boolean> = async () => true,
): Promise<number> {
  const due = await deps.db
    .select()
    .from(outbox)
    .where(
      and(
        eq(outbox.status, 'pending'),
        lte(outbox.next_try_at_ms, deps.clock.nowMs()),
        ne(outbox.kind, NOTIFICATION_DELIVERY),
      ),
    )
    .orderBy(asc(outbox.created_at_ms), asc(outbox.key))
    .limit(EFFECTS_PER_RUN);
  let done = 0;
  for (const row of due) {
    if (!(await mayGoOn())) break;
    await runEffect(deps, row, handle, givenUp);
    done += 1;
  }
  return done;
}

async function runEffect(
  deps: OutboxDeps,
  row: OutboxRow,
  handle: EffectHandler,
  givenUp: EffectGivenUp,
): Promise<void> {
  // A newer wish under the same key (another revision) stays pending.
  const same = and(eq(outbox.key, row.key), eq(outbox.revision, row.revision));
  const parsed = Effect.safeParse({ kind: row.kind, ...row.payload });
  if (!parsed.success) {
    // Written by another version: it must not hold up the effects after it.
    deps.logger.error('outbox effect cannot be read', { key: row.key, kind: row.kind });
    await deps.db.update(outbox).set({ status: 'dead', last_error: 'unreadable' }).where(same);
    return;
  }
  const effect = parsed.data;
  try {
    await handle(row, effect);
    await deps.db
      .update(outbox)
      .set({ status: 'done', done_at_ms: deps.clock.nowMs(), last_error: null })
      .where(same);
  } catch (error) {
    const message = errorWords(error);
    const tries = row.tries + 1;
    const isRefused = error instanceof EffectRefused;
    const dead = isRefused || tries >= MAX_TRIES;
    deps.logger.warn('outbox effect failed', {
      key: row.key,
      kind: row.kind,
      tries,
      dead,
      error: message,
    });
    if (dead) await givenUp(row, effect, { message, isRefused });
    const delayMs = Math.min(RETRY_BASE_MS * 2 ** (tries - 1), RETRY_MAX_MS);
    await deps.db
      .update(outbox)
      .set({
        status: dead ? 'dead' : 'pending',
        tries,
        last_error: message.slice(0, 2_000),
        next_try_at_ms: Math.max(deps.clock.nowMs() + delayMs, notBeforeMs(error)),
      })
      .where(same);
  }
}

/** The other side's own wish; 0 where it has none. */
function notBeforeMs(error: unknown): number {
  const wish = error instanceof Error && 'retryAtMs' in error ? error.retryAtMs : 0;
  return typeof wish === 'number' ? wish : 0;
}
