import { and, desc, eq, sql } from 'drizzle-orm';
import type { Automation } from '../../config/sections/automations.ts';
import type { Database } from '../../db/database.ts';
import {
  type AutomationRunRow,
  automationRuns,
  automationTimers,
} from '../../db/schema/people/automations.ts';
import { olderThan, pageOf, type PagePosition } from '../../http/page-position.ts';

/** A page of runs, newest first. */
export async function runPage(
  db: Database,
  input: { limit: number; name: string | undefined; after: PagePosition | null },
): Promise<{ rows: AutomationRunRow[]; total: number; more: boolean }> {
  const named =
    input.name === undefined ? undefined : eq(automationRuns.automation_name, input.name);
  const { after } = input;
  const older = olderThan(after, automationRuns.started_at_ms, automationRuns.run_id);
  const [rows, [counted]] = await db.batch([
    db
      .select()
      .from(automationRuns)
      .where(and(named, older))
      .orderBy(desc(automationRuns.started_at_ms), desc(automationRuns.run_id))
      .limit(input.limit + 1),
    db
      .select({ count: sql<number>`count(*)` })
      .from(automationRuns)
      .where(named),
  ]);
  return { ...pageOf(rows, input.limit), total: counted?.count ?? 0 };
}

/** Identifies the schedule that a timer belongs to; a timer with another key is outdated. */
export function scheduleKey({
  schedule,
  timeZone,
}: Pick<Automation, 'schedule' | 'timeZone'>): string {
  return `${schedule} ${timeZone}`;
}

/** Timers, and the newest run of each automation that was not skipped, in one read. */
export async function schedulerState(db: Database): Promise<{
  timers: ReadonlyMap<string, typeof automationTimers.$inferSelect>;
  lastRuns: ReadonlyMap<string, AutomationRunRow>;
}> {
  const [timers, newest] = await db.batch([
    db.select().from(automationTimers),
    db
      .select()
      .from(automationRuns)
      .where(
        sql`${automationRuns.run_id} in (select (select r.run_id from automation_runs r
          where r.automation_name = n.automation_name and r.status <> 'skipped'
          order by r.started_at_ms desc, r.run_id desc limit 1)
          from (select distinct automation_name from automation_runs) n)`,
      ),
  ]);
  return {
    timers: new Map(timers.map((row) => [row.name, row])),
    lastRuns: new Map(newest.map((row) => [row.automation_name, row])),
  };
}
