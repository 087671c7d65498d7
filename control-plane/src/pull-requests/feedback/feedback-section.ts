import { kindsThat } from '@switchyard/shared/attempts/kind-rules';
import { sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';

/**
 * The prompt section with feedback that no finished attempt has received; empty when there is none.
 * After a failed attempt the next one gets it again.
 */
export async function feedbackSection(
  db: Database,
  issue: { tracker: string; id: string },
): Promise<string> {
  const rows = await db.all<{ body: string }>(sql`
    select body from pull_request_feedback f
    where f.tracker = ${issue.tracker} and f.issue_id = ${issue.id}
      and not exists (select 1 from attempts a where a.tracker = f.tracker
        and a.issue_id = f.issue_id and a.status = 'completed' and a.marker = 'DONE'
        and a.kind in ${kindsThat('isTry')}
        and a.queued_at_ms >= f.created_at_ms)
    order by f.created_at_ms desc limit 3`);
  return rows
    .toReversed()
    .map(({ body }) => `\n\n${body}`)
    .join('');
}
