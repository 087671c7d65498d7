import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { facts } from './schema/admin/config.ts';

/** What is stored of a fact of the service; undefined: nothing. Who reads it checks its shape. */
export async function readFact(db: Database, name: string): Promise<unknown> {
  const [row] = await db.select().from(facts).where(eq(facts.name, name));
  return row?.value;
}
