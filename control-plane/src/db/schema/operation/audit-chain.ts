import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Seals over audit entries in their order: each hash covers its entry and the hash before it.
 * Append-only like the entries: triggers refuse update and delete.
 */
export const auditChain = sqliteTable('audit_chain', {
  entry: integer().primaryKey(),
  /** SHA-256, hex. */
  hash: text().notNull(),
});
