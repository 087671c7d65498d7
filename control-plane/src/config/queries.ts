import { eq, sql } from 'drizzle-orm';
import type { Database, Statement } from '../db/database.ts';
import { configOverlay } from '../db/schema/config.ts';
import type { JsonObject } from './dotted-paths.ts';

const ROW_ID = 1;

/** Version 0 is the overlay that was never written. */
export type StoredOverlay = { version: number; value: JsonObject };

export async function readOverlay(db: Database): Promise<StoredOverlay> {
  const [row] = await db
    .select({ version: configOverlay.version, value: configOverlay.value })
    .from(configOverlay)
    .where(eq(configOverlay.id, ROW_ID));
  return row ?? { version: 0, value: {} };
}

/** Replaces the overlay if it still has the given version; put `requireChange` right behind it. */
export function writeOverlayStatement(
  db: Database,
  nowMs: number,
  expectedVersion: number,
  value: JsonObject,
): Statement {
  const next = { value, version: expectedVersion + 1, updated_at_ms: nowMs };
  return db
    .insert(configOverlay)
    .values({ id: ROW_ID, ...next })
    .onConflictDoUpdate({
      target: configOverlay.id,
      set: next,
      setWhere: sql`${configOverlay.version} = ${expectedVersion}`,
    });
}
