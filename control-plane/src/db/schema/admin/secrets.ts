import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Secrets by name, each encrypted with AES-256-GCM under a master key that is stored elsewhere. */
export const secrets = sqliteTable(
  'secrets',
  {
    key: text().primaryKey(),
    /** Master key that encrypts the value. */
    master_key_id: text().notNull(),
    nonce: blob({ mode: 'buffer' }).$type<Uint8Array>().notNull(),
    /** Ciphertext with the authentication tag at its end; bound to name and master key. */
    ciphertext: blob({ mode: 'buffer' }).$type<Uint8Array>().notNull(),
    /** Raised by each change, so that a key rotation never overwrites a newer value. */
    version: integer().notNull(),
    created_at_ms: integer().notNull(),
    updated_at_ms: integer().notNull(),
  },
  (table) => [index('secrets_master_key').on(table.master_key_id)],
);
