import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Tokens that people created: only a digest is stored; the token was shown once. */
export const apiTokens = sqliteTable('api_tokens', {
  token_id: text().primaryKey(),
  name: text().notNull().unique(),
  scope: text().$type<'read' | 'operate' | 'admin'>().notNull(),
  /** SHA-256 of the token, hex. */
  token_hash: text().notNull().unique(),
  created_at_ms: integer().notNull(),
  created_by: text().notNull(),
  /** Accurate to a minute. */
  last_used_at_ms: integer(),
});
