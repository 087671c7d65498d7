import { count, desc } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { audit } from '../db/schema/audit.ts';

export type AuditRow = typeof audit.$inferSelect;

/** A page of audit entries, newest first, and how many there are. */
export async function auditPage(
  db: Database,
  page: { limit: number; offset: number },
): Promise<{ rows: AuditRow[]; total: number }> {
  const rows = await db
    .select()
    .from(audit)
    .orderBy(desc(audit.entry))
    .limit(page.limit)
    .offset(page.offset);
  const [counted] = await db.select({ total: count() }).from(audit);
  return { rows, total: counted?.total ?? 0 };
}
