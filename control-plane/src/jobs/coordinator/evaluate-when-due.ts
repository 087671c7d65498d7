import { eq } from 'drizzle-orm';
import { evaluateRules } from '../../people/alerts/evaluate.ts';
import { timers as timerRows } from '../../db/schema/operation/outbox.ts';
import type { Deps } from '../../deps.ts';
import { setTimer, type Timers } from './timers.ts';

const EVERY_MS = 15_000;
/** Soon again while events are left to count. */
const WHILE_MORE_MS = 1_000;

/** Looks at the alert rules every 15 s; without rules there is no timer. */
export async function evaluateWhenDue(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'sockets'>,
  timers: Timers,
): Promise<void> {
  const { db } = deps;
  const rules = (await deps.config.load()).alerts.rules.filter((rule) => rule.enabled);
  const { dueAtMs } = timers.of('alerts');
  if (rules.length === 0) {
    if (dueAtMs !== 0) await db.delete(timerRows).where(eq(timerRows.name, 'alerts'));
    return;
  }
  const nowMs = deps.clock.nowMs();
  if (dueAtMs > nowMs) return;
  const more = await evaluateRules(deps, rules);
  await db.batch([setTimer(db, 'alerts', nowMs + (more ? WHILE_MORE_MS : EVERY_MS))]);
}
