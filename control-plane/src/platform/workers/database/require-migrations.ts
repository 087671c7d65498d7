import { sql } from 'drizzle-orm';
import journal from '../../../../../migrations/meta/_journal.json' with { type: 'json' };
import type { Database } from '../../../db/database.ts';
import { productVersion } from '@switchyard/shared/product-version';
import { someCauseSays } from '@switchyard/shared/causes-of';
import { NotReady } from '../not-ready.ts';

const newest = journal.entries.at(-1);

/**
 * Throws, with advice, when the database lacks migrations of this version. A Worker never migrates,
 * because many start at once. A database of a later version is accepted, since migrations only add.
 */
export async function requireMigrations(db: Database): Promise<void> {
  const row = await db
    .get<{ at: number | null }>(sql`select max(created_at) as at from __drizzle_migrations`)
    .catch((error: unknown) => {
      if (someCauseSays(error, /no such table/)) return { at: null };
      throw error;
    });
  if ((row?.at ?? 0) >= (newest?.when ?? 0)) return;
  throw new NotReady(
    `the database lacks migrations of ${productVersion} up to ${newest?.tag}: run \`switchyard deploy\`, which applies them`,
  );
}
