import { eq, sql } from 'drizzle-orm';
import type { Database, Statement } from '../db/database.ts';
import { configOverlay } from '../db/schema/admin/config.ts';
import type { JsonObject } from './values/json-object.ts';

const ROW_ID = 1;

/** The stored overlay; version 0 means that none was ever stored. */
export type StoredOverlay = { version: number; value: JsonObject };

export async function readOverlay(db: Database): Promise<StoredOverlay> {
  const [row] = await db
    .select({ version: configOverlay.version, value: configOverlay.value })
    .from(configOverlay)
    .where(eq(configOverlay.id, ROW_ID));
  return row ?? { version: 0, value: {} };
}

/** The overlay and the names of all secrets, to find references to missing ones. */
export type StoredConfig = StoredOverlay & {
  secretKeys: string[];
  /** Changes whenever a secret changes. */
  secretVersions: string;
};

/** Reads everything stored that the configuration is built from, at once. */
export async function readStoredConfig(db: Database): Promise<StoredConfig> {
  const overlay = sql`from config_overlay where id = ${ROW_ID}`;
  const row = await db.get<{ version: number | null; value: string | null; versions: string }>(
    sql`select (select version ${overlay}) as version, (select value ${overlay}) as value,
      (select json_group_array(json_array(key, version)) from secrets) as versions`,
  );
  const secretVersions = row?.versions ?? '[]';
  const versions = JSON.parse(secretVersions) as [key: string, version: number][];
  return {
    version: row?.version ?? 0,
    value: row?.value ? (JSON.parse(row.value) as JsonObject) : {},
    secretKeys: versions.map(([key]) => key),
    secretVersions,
  };
}

/** Replaces the overlay with a compare-and-swap on its version. */
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
