import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { alertHistory, type AlertHistoryRow } from '../../db/schema/people/alerts.ts';
import { olderThan, pageOf, type PagePosition } from '../../http/page-position.ts';

/** A page of the history, newest first. */
export async function historyPage(
  db: Database,
  input: { limit: number; ruleName: string | undefined; after: PagePosition | null },
): Promise<{ rows: AlertHistoryRow[]; total: number; more: boolean }> {
  const { ruleName, after } = input;
  const named = ruleName === undefined ? undefined : eq(alertHistory.rule_name, ruleName);
  const older = olderThan(after, alertHistory.first_at_ms, alertHistory.history_id);
  const [rows, [counted]] = await db.batch([
    db
      .select()
      .from(alertHistory)
      .where(and(named, older))
      .orderBy(desc(alertHistory.first_at_ms), desc(alertHistory.history_id))
      .limit(input.limit + 1),
    db
      .select({ count: sql<number>`count(*)` })
      .from(alertHistory)
      .where(named),
  ]);
  return { ...pageOf(rows, input.limit), total: counted?.count ?? 0 };
}
