import { asc, count, desc, gt, sql } from 'drizzle-orm';
import type { Database } from '../../../db/database.ts';
import { auditChain } from '../../../db/schema/operation/audit-chain.ts';
import { audit } from '../../../db/schema/operation/audit.ts';
import type { SealableEntry } from './entry-hash.ts';

export type AuditRow = typeof audit.$inferSelect;

/** A page of audit entries, newest first, and their total number. */
export async function auditPage(
  db: Database,
  page: { limit: number; offset: number },
): Promise<{ rows: AuditRow[]; total: number }> {
  const [rows, counted] = await db.batch([
    db.select().from(audit).orderBy(desc(audit.entry)).limit(page.limit).offset(page.offset),
    db.select({ total: count() }).from(audit),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
}

/** Entries after a number, in the order in which they are sealed. */
export function entriesAfter(db: Database, entry: number, limit: number): Promise<SealableEntry[]> {
  return db
    .select({
      entry: audit.entry,
      at_ms: audit.at_ms,
      actor: audit.actor,
      source: audit.source,
      operation: audit.operation,
      path: audit.path,
      subject: audit.subject,
      request_id: audit.request_id,
      details: sql<string>`${audit.details}`,
    })
    .from(audit)
    .where(gt(audit.entry, entry))
    .orderBy(asc(audit.entry))
    .limit(limit);
}

/** Seals after an entry's number, in order. */
export function sealsAfter(
  db: Database,
  entry: number,
  limit: number,
): Promise<{ entry: number; hash: string }[]> {
  return db
    .select()
    .from(auditChain)
    .where(gt(auditChain.entry, entry))
    .orderBy(asc(auditChain.entry))
    .limit(limit);
}
