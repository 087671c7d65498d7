import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import {
  type Tracker,
  TrackerError,
  type TrackerErrorCategory,
} from '../../ports/tracker/tracker.ts';
import { blockedIssues } from '../queries.ts';

/** Waiting issues of which one look asks whether anything still blocks them. */
const MAX_ASKED = 100;
/** Issues that one look reads anew because nothing blocks them any more. */
const MAX_FREE = 50;
/** And those of which only their details can tell. */
const MAX_UNCERTAIN = 10;
/** Trouble with one question; with any other the rest of the look fails as well. */
const SAYS_NO: ReadonlySet<TrackerErrorCategory> = new Set(['status', 'response', 'pagination']);

/**
 * Issues that wait for others and may do so no longer: to remove a relation changes no time of an issue,
 * so the tracker's changes do not tell of it. Those that ended meanwhile wait no more. Where there are
 * more than a look may read, each takes others; a whole look reads them all.
 */
export async function possiblyUnblocked(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  tracker: Tracker,
): Promise<IssueRow[]> {
  const rows = await blockedIssues(db, tracker.kind);
  const { active } = tracker.stateRoles();
  const all = rows.filter(({ dispatchable, state }) => !dispatchable && isOneOf(state, active));
  const waiting = someOf(all, MAX_ASKED, clock.nowMs());
  const ids = waiting.map(({ id }) => id);
  const still = ids.length === 0 ? null : await stillBlocked(tracker, ids);
  const free = still === null ? [] : waiting.filter(({ id }) => !still.has(id));
  // Where only one blocks it, that something does says it all.
  const uncertain = waiting.filter(
    ({ id, blocked_by }) => still === null || (still.has(id) && blocked_by.length > 1),
  );
  return [...free.slice(0, MAX_FREE), ...someOf(uncertain, MAX_UNCERTAIN, clock.nowMs())];
}

/** Null: the tracker does not tell. The look finds all else also where it refuses this one question. */
async function stillBlocked(
  tracker: Tracker,
  ids: readonly string[],
): Promise<ReadonlySet<string> | null> {
  try {
    return (await tracker.stillBlocked?.(ids)) ?? null;
  } catch (error) {
    if (error instanceof TrackerError && SAYS_NO.has(error.category)) return null;
    throw error;
  }
}

/** Some in a row from a place that differs from one look to the next, whatever lies between these. */
function someOf(rows: readonly IssueRow[], limit: number, nowMs: number): readonly IssueRow[] {
  if (rows.length <= limit) return rows;
  const share = (Math.imul(Math.floor(nowMs / 1_000), 2_654_435_761) >>> 0) / 2 ** 32;
  const start = Math.floor(share * rows.length);
  return [...rows.slice(start), ...rows.slice(0, start)].slice(0, limit);
}
