import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Seals over audit entries in order: each hash covers its entry and the previous hash. Append-only
 * like the entries: triggers refuse updates and deletions.
 */
export const auditChain = sqliteTable('audit_chain', {
  entry: integer().primaryKey(),
  /** SHA-256, hex. */
  hash: text().notNull(),
});
