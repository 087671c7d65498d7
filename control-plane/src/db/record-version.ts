import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from './database.ts';
import { readFact } from './read-fact.ts';
import { facts } from './schema/admin/config.ts';

/** Name of the fact with the version that last opened the database. */
export const VERSION_FACT = 'version';

/** What the database stores about the program that last opened it. */
export const OpenedBy = z.object({
  version: z.string(),
  /** The newest migration of that program, and when it was created. */
  schema: z.string(),
  schemaAtMs: z.number(),
});
export type OpenedBy = z.infer<typeof OpenedBy>;

/**
 * Stores which version has opened the database, so that an older one can name it when it refuses. A
 * no-op if it is already stored, or if another instance has a newer schema.
 */
export async function recordVersion(db: Database, nowMs: number, own: OpenedBy): Promise<void> {
  const stored = OpenedBy.safeParse(await readFact(db, VERSION_FACT)).data;
  if (stored !== undefined && isSame(stored, own)) return;
  const set = { value: own, updated_at_ms: nowMs };
  await db.batch([
    db
      .insert(facts)
      .values({ name: VERSION_FACT, ...set })
      .onConflictDoUpdate({
        target: facts.name,
        set,
        setWhere: sql`coalesce(json_extract(${facts.value}, '$.schemaAtMs'), 0) <= ${own.schemaAtMs}`,
      }),
  ]);
}

function isSame(a: OpenedBy, b: OpenedBy): boolean {
  return a.version === b.version && a.schema === b.schema && a.schemaAtMs === b.schemaAtMs;
}
