import { and, eq, notInArray } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { automationRuns } from '../../db/schema/people/automations.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { issueKey } from '../upstreams/provider-upstream.ts';

/** The automation that created each unfinished issue, by `issueKey`. */
export async function automationsOfIssues(db: Database): Promise<Map<string, string>> {
  const rows = await db
    .select({ tracker: issues.tracker, id: issues.id, name: automationRuns.automation_name })
    .from(automationRuns)
    .innerJoin(
      issues,
      and(eq(issues.tracker, automationRuns.tracker), eq(issues.id, automationRuns.issue_id)),
    )
    .where(notInArray(issues.status, ['completed', 'failed', 'cancelled']));
  return new Map(rows.map(({ tracker, id, name }) => [issueKey(tracker, id), name]));
}
