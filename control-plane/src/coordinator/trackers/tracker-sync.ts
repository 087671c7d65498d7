import { z } from 'zod';
import { readFact } from '../../db/read-fact.ts';
import { setFact } from '../../db/set-fact.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { Database, Statement } from '../../db/database.ts';
import type { SyncScope } from '../../issues/sync/sync-tracker-issues.ts';

const NAME = 'tracker_look';
/**
 * Interval of full syncs of an external tracker, where changed relations and deletions do not
 * appear as changes.
 */
const FULL_SYNC_EVERY_MS = 600_000;
/** Changes are read with this overlap, since the tracker's clock may be behind. */
const OVERLAP_MS = 120_000;

const Look = z.object({
  question: z.string(),
  /** Time up to which changes were read, epoch milliseconds. */
  seenUntilMs: z.number(),
  /** Time of the last full sync, epoch milliseconds. */
  wholeAtMs: z.number(),
});

/** The scope of the next sync with the configured tracker. */
export type TrackerSync = { scope: SyncScope; done: Statement };

/** The scope of the next sync, and the statement that records it once it succeeded. */
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

/** All settings of the tracker except keys, secrets and tokens, as a text to compare. */
function questionOf({ tracker }: Pick<EffectiveConfig, 'tracker'>): string {
  const isKey = (name: string) => /key|secret|token/i.test(name);
  return JSON.stringify(tracker, (name, value: unknown) => (isKey(name) ? undefined : value));
}
