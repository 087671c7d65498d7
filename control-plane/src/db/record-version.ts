import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from './database.ts';
import { readFact } from './read-fact.ts';
import { facts } from './schema/admin/config.ts';

/** The name under which a database holds its version. */
export const VERSION_FACT = 'version';

/** What a database says of the program that opened it last. */
export const OpenedBy = z.object({
  version: z.string(),
  /** The newest migration that this program has, and when that was made. */
  schema: z.string(),
  schemaAtMs: z.number(),
});
export type OpenedBy = z.infer<typeof OpenedBy>;

/**
 * Stores which version has opened the database, so that an older one can name it when it refuses.
 * Nothing is written when it stands there, nor by an instance whose schema is older than the one that
 * another has brought meanwhile.
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
