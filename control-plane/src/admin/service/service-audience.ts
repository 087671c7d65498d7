import { eq } from 'drizzle-orm';
import { setFactOnce } from '../../db/set-fact.ts';
import type { Database } from '../../db/database.ts';
import { facts } from '../../db/schema/admin/config.ts';

const NAME = 'audience';

/**
 * The audience of runner tokens: created once for each database, so that a token is valid nowhere
 * else.
 */
export async function serviceAudience(db: Database, nowMs: number): Promise<string> {
  let row = await readAudience(db);
  if (row === undefined) {
    const value = { audience: `switchyard:${crypto.randomUUID()}` };
    await db.batch([setFactOnce(db, nowMs, NAME, value)]);
    row = await readAudience(db);
  }
  const audience = row?.value['audience'];
  if (typeof audience !== 'string') throw new Error('the audience row is damaged');
  return audience;
}

async function readAudience(db: Database) {
  const [row] = await db.select().from(facts).where(eq(facts.name, NAME));
  return row;
}
