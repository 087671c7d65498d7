import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { facts } from './schema/admin/config.ts';

/** A stored fact of the service; undefined when there is none. The reader checks its shape. */
export async function readFact(db: Database, name: string): Promise<unknown> {
  const [row] = await db.select().from(facts).where(eq(facts.name, name));
  return row?.value;
}
