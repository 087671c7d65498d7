import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../../db/database.ts';
import { facts } from '../../db/schema/admin/config.ts';

export const PAUSE_FACT = 'paused';

const Pause = z.object({ reason: z.string(), sinceMs: z.number(), actor: z.string() });
export type Pause = z.infer<typeof Pause>;

/** Whether a person has paused the service; null when not. */
export async function readPause(db: Database): Promise<Pause | null> {
  const [row] = await db.select().from(facts).where(eq(facts.name, PAUSE_FACT));
  const parsed = Pause.safeParse(row?.value);
  return parsed.success ? parsed.data : null;
}
