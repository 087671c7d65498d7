import type { Database } from '../../db/database.ts';
import { type UpstreamPauseRow, upstreamPauses } from '../../db/schema/work/pauses.ts';

/** Every upstream that is paused now. */
export async function pausedUpstreams(db: Database): Promise<UpstreamPauseRow[]> {
  return db.select().from(upstreamPauses);
}
