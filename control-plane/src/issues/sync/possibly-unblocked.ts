import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import {
  type Tracker,
  TrackerError,
  type TrackerErrorCategory,
} from '../../ports/tracker/tracker.ts';
import { blockedIssues } from '../queries.ts';

/** Waiting issues that one sync checks for remaining blockers. */
const MAX_ASKED = 100;
/** Issues that one sync reads again because nothing blocks them any more. */
const MAX_FREE = 50;
/** Issues that one sync reads again because only their details show whether a blocker remains. */
const MAX_UNCERTAIN = 10;
/** Errors that concern one query; any other error fails the whole sync. */
const SAYS_NO: ReadonlySet<TrackerErrorCategory> = new Set(['status', 'response', 'pagination']);

/**
 * Waiting issues that may have lost a blocker and must be read again. Removing a relation changes
 * no time of an issue, so the tracker does not report it as changed. Beyond the limits each sync
 * reads other ones; a full sync reads all.
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
  // With a single blocker, `still` answers for it; with several, one may have been removed.
  const uncertain = waiting.filter(
    ({ id, blocked_by }) => still === null || (still.has(id) && blocked_by.length > 1),
  );
  return [...free.slice(0, MAX_FREE), ...someOf(uncertain, MAX_UNCERTAIN, clock.nowMs())];
}

/**
 * Ids of issues that are still blocked; null when the tracker cannot tell or refuses this query,
 * which must not fail the sync.
 */
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

/**
 * A run of at most `limit` rows from a pseudo-random start, so that successive calls cover all
 * rows.
 */
function someOf(rows: readonly IssueRow[], limit: number, nowMs: number): readonly IssueRow[] {
  if (rows.length <= limit) return rows;
  const share = (Math.imul(Math.floor(nowMs / 1_000), 2_654_435_761) >>> 0) / 2 ** 32;
  const start = Math.floor(share * rows.length);
  return [...rows.slice(start), ...rows.slice(0, start)].slice(0, limit);
}
