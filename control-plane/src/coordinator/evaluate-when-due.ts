import { eq } from 'drizzle-orm';
import { evaluateRules } from '../alerts/evaluate.ts';
import { timers } from '../db/schema/outbox.ts';
import type { Deps } from '../deps.ts';
import { setTimer, timerDueAtMs } from './timers.ts';

const EVERY_MS = 15_000;
/** Soon again while events are left to count. */
const WHILE_MORE_MS = 1_000;

/** Looks at the alert rules every 15 s; without rules there is no timer. */
export async function evaluateWhenDue(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'sockets'>,
): Promise<void> {
  const { db } = deps;
  const rules = (await deps.config.load()).alerts.rules.filter((rule) => rule.enabled);
  const dueAtMs = await timerDueAtMs(db, 'alerts');
  if (rules.length === 0) {
    if (dueAtMs !== 0) await db.delete(timers).where(eq(timers.name, 'alerts'));
    return;
  }
  const nowMs = deps.clock.nowMs();
  if (dueAtMs > nowMs) return;
  const more = await evaluateRules(deps, rules);
  await db.batch([setTimer(db, 'alerts', nowMs + (more ? WHILE_MORE_MS : EVERY_MS))]);
}
