import { asc, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { apiTokens } from '../../db/schema/admin/api-tokens.ts';

export type ApiTokenRow = typeof apiTokens.$inferSelect;

/** Every created token that is not revoked, by name. There are at most `MAX_TOKENS`. */
export async function allTokens(db: Database): Promise<ApiTokenRow[]> {
  return db.select().from(apiTokens).orderBy(asc(apiTokens.name));
}

export async function tokenByHash(db: Database, hash: string): Promise<ApiTokenRow | null> {
  const [row] = await db.select().from(apiTokens).where(eq(apiTokens.token_hash, hash));
  return row ?? null;
}

export async function tokenById(db: Database, tokenId: string): Promise<ApiTokenRow | null> {
  const [row] = await db.select().from(apiTokens).where(eq(apiTokens.token_id, tokenId));
  return row ?? null;
}
