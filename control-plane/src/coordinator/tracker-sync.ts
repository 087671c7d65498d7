import { z } from 'zod';
import { readFact } from '../db/read-fact.ts';
import { setFact } from '../db/set-fact.ts';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import type { Database, Statement } from '../db/database.ts';
import type { SyncScope } from '../issues/sync/sync-tracker-issues.ts';

const NAME = 'tracker_look';
/** Whole looks at a tracker elsewhere: relations and deletions do not show as changes. */
const FULL_SYNC_EVERY_MS = 600_000;
/** The tracker's clock may go behind ours: so much is looked at again. */
const OVERLAP_MS = 120_000;

const Look = z.object({
  question: z.string(),
  /** Up to when changes were seen. */
  seenUntilMs: z.number(),
  /** When everything was looked at. */
  wholeAtMs: z.number(),
});

/** The next look at the configured tracker. */
export type TrackerSync = { scope: SyncScope; done: Statement };

/** What is to be looked at, and the statement that notes it as seen once it was. */
export async function nextTrackerSync(
  db: Database,
  nowMs: number,
  config: Pick<EffectiveConfig, 'tracker'>,
): Promise<TrackerSync> {
  const question = questionOf(config);
  const last = Look.safeParse(await readFact(db, NAME));
  const isSame = last.success && last.data.question === question;
  const goesOn =
    isSame && nowMs >= last.data.wholeAtMs && nowMs - last.data.wholeAtMs < FULL_SYNC_EVERY_MS;
  const wholeAtMs = goesOn ? last.data.wholeAtMs : nowMs;
  const value = { question, seenUntilMs: nowMs, wholeAtMs };
  const done = setFact(db, nowMs, NAME, value);
  if (!goesOn) return { scope: isSame ? 'known' : 'all', done };
  const sinceMs = Math.min(last.data.seenUntilMs, nowMs) - OVERLAP_MS;
  return { scope: { sinceMs, withActive: false, withWaiting: true }, done };
}

/** The settings that decide which issues count, without the key. */
function questionOf({ tracker }: Pick<EffectiveConfig, 'tracker'>): string {
  const isKey = (name: string) => /key|secret|token/i.test(name);
  return JSON.stringify(tracker, (name, value: unknown) => (isKey(name) ? undefined : value));
}
