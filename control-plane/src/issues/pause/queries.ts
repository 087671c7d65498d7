import { z } from 'zod';
import type { Database } from '../../db/database.ts';
import { readFact } from '../../db/read-fact.ts';

export const PAUSE_FACT = 'paused';

const Pause = z.object({ reason: z.string(), sinceMs: z.number(), actor: z.string() });
export type Pause = z.infer<typeof Pause>;

/** The pause of the service that a person began; null when the service is not paused. */
export async function readPause(db: Database): Promise<Pause | null> {
  const parsed = Pause.safeParse(await readFact(db, PAUSE_FACT));
  return parsed.success ? parsed.data : null;
}
