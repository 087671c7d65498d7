import { and, eq, notInArray } from 'drizzle-orm';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { Automation } from '../../config/sections/automations.ts';
import { nextRunAtMs } from './next-run-at-ms.ts';
import {
  type AutomationRunRow,
  automationRuns,
  automationTimers,
} from '../../db/schema/people/automations.ts';
import type { Deps } from '../../deps.ts';
import { readPause } from '../../issues/pause/queries.ts';
import { decideDue } from './decide.ts';
import { scheduleKey } from './queries.ts';
import { isOverlap, newRun, skipRun, startRun } from './start-run.ts';

type DueDeps = Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'logger'>;
type Timer = typeof automationTimers.$inferSelect;

/** Stores the next time of each schedule, and starts or skips runs that are due. */
export async function startDueAutomations(deps: DueDeps): Promise<void> {
  const { automations } = await deps.config.load();
  const [timers, running] = await deps.db.batch([
    deps.db.select().from(automationTimers),
    deps.db.select().from(automationRuns).where(eq(automationRuns.status, 'running')),
  ]);
  const scheduled = automations.filter((automation) => automation.enabled);
  await forgetOthers(deps, scheduled, timers);
  for (const automation of scheduled) {
    const timer = timers.find((row) => row.name === automation.name);
    if (timer === undefined || timer.schedule !== scheduleKey(automation)) {
      await setTimer(deps, automation);
    } else {
      const busy = running.find((row) => row.automation_name === automation.name) ?? null;
      await startIfDue(deps, automation, timer, busy);
    }
  }
}

/** Deletes the timers of disabled or removed automations. */
async function forgetOthers(
  deps: DueDeps,
  scheduled: readonly Automation[],
  timers: readonly Timer[],
): Promise<void> {
  const names = scheduled.map((automation) => automation.name);
  if (timers.every((timer) => names.includes(timer.name))) return;
  await deps.db.delete(automationTimers).where(notInArray(automationTimers.name, names));
}

/** A new or changed schedule counts from now on. */
async function setTimer({ db, clock }: DueDeps, automation: Automation): Promise<void> {
  const row = {
    schedule: scheduleKey(automation),
    next_run_at_ms: nextRunAtMs(automation, clock.nowMs()),
  };
  await db
    .insert(automationTimers)
    .values({ name: automation.name, ...row })
    .onConflictDoUpdate({ target: automationTimers.name, set: row });
}

function isWithinGrace(automation: Automation, dueAtMs: number, nowMs: number): boolean {
  const fromMs = nowMs - automation.missedRunGraceMs;
  const firstAtMs = dueAtMs >= fromMs ? dueAtMs : nextRunAtMs(automation, fromMs);
  return firstAtMs !== null && firstAtMs <= nowMs;
}

async function startIfDue(
  deps: DueDeps,
  automation: Automation,
  timer: Timer,
  busy: AutomationRunRow | null,
): Promise<void> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const dueAtMs = timer.next_run_at_ms;
  if (dueAtMs === null || dueAtMs > nowMs) return;
  const decision = decideDue({
    nextRunAtMs: dueAtMs,
    nowMs,
    running: busy === null ? null : (busy.identifier ?? busy.run_id),
    missedRunPolicy: automation.missedRunPolicy,
    withinGrace: isWithinGrace(automation, dueAtMs, nowMs),
    paused: (await readPause(db)) !== null,
  });
  if (decision.kind === 'wait') return;
  const run = newRun({
    runId: deps.ids.next('arun'),
    automation,
    trigger: decision.kind === 'start' ? decision.trigger : 'schedule',
    actor: 'schedule',
    dueAtMs,
    nowMs,
  });
  try {
    await commitChange(deps, {
      swap: db
        .update(automationTimers)
        .set({ next_run_at_ms: nextRunAtMs(automation, nowMs) })
        .where(
          and(
            eq(automationTimers.name, automation.name),
            eq(automationTimers.next_run_at_ms, dueAtMs),
          ),
        ),
      also: decision.kind === 'start' ? startRun(db, run) : skipRun(db, run, decision.reason),
    });
  } catch (error) {
    // A person started it in the meantime; the next call of this function decides again.
    if (!isOverlap(error)) throw error;
  }
}
