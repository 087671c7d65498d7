import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { setFact } from '../../db/set-fact.ts';
import { belongsToSession } from '../../people/agent-sessions/queries.ts';
import type { Statement } from '../../db/database.ts';
import { facts } from '../../db/schema/admin/config.ts';
import type { Tracker } from '../../issues/tracker/tracker.ts';
import { handleComment } from '../../issues/actions/handle-comment.ts';

const NAME = 'tracker_comments';
/** The tracker may show a comment a little later than it says, and its clock may be behind ours. */
const OVERLAP_MS = 60_000;
/** What was said while nobody asked is heard up to this age. */
const MAX_AGE_MS = 7 * 86_400_000;
/** More ids than come in an overlap; a longer list means a flood, of which the newest count. */
const MAX_HEARD_IDS = 500;

const Heard = z.object({
  /** Kind of the tracker. */
  tracker: z.string(),
  untilMs: z.number(),
  /** Ids of those within the overlap: they come again and are heard once. */
  ids: z.array(z.string()),
});

/**
 * Hears what people newly said in the tracker, where nothing is delivered or a delivery was lost.
 * Gives the statement that notes it. From the first look on: what was said before is history.
 */
export async function handleNewComments(
  deps: Parameters<typeof handleComment>[0],
  tracker: Tracker,
): Promise<Statement[]> {
  if (tracker.newComments === undefined) return [];
  const nowMs = deps.clock.nowMs();
  const [row] = await deps.db.select().from(facts).where(eq(facts.name, NAME));
  const last = Heard.safeParse(row?.value);
  const before = last.success && last.data.tracker === tracker.kind ? last.data : null;
  const untilMs = Math.min(before?.untilMs ?? nowMs, nowMs);
  const sinceMs = Math.max(untilMs - OVERLAP_MS, nowMs - MAX_AGE_MS);
  const found = await tracker.newComments(sinceMs);
  const heardBefore = new Set(before?.ids);
  const fresh = before === null ? [] : found.filter(({ commentId }) => !heardBefore.has(commentId));
  for (const { place, ...comment } of fresh) {
    if (place !== null && (await belongsToSession(deps.db, tracker.kind, place))) continue;
    await handleComment(deps, { tracker: tracker.kind, ...comment });
  }
  const ids = found.map(({ commentId }) => commentId).slice(-MAX_HEARD_IDS);
  const value = { tracker: tracker.kind, untilMs: nowMs, ids };
  return [setFact(deps.db, nowMs, NAME, value)];
}
