import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { Statement } from '../../db/database.ts';
import type { Bound, Deps } from '../../deps.ts';
import { type SyncScope, syncTrackerIssues } from '../../issues/sync/sync-tracker-issues.ts';
import {
  noteUnreadableIssues,
  unreadableAgain,
  unreadableIssues,
} from '../../issues/sync/unreadable-issues.ts';
import { setTimer, type Timers } from '../../jobs/queue/set-timer.ts';
import type { Tracker } from '../../ports/tracker/tracker.ts';
import type { handleNewComments } from './handle-new-comments.ts';
import { nextTrackerSync } from './tracker-sync.ts';

/** Kind of the built-in tracker, which needs no other service. */
export const BUILT_IN = 'local';
/**
 * Interval of syncs of everything active in the built-in tracker; in between only changes are
 * synced.
 */
const ACTIVE_SYNC_EVERY_MS = 30_000;
/**
 * Interval of full syncs: issues that have rested for years cost much to read and rarely change.
 */
export const FULL_SYNC_EVERY_MS = 3_600_000;
/** Changes are read with this overlap, since a change may have an earlier time than its commit. */
const OVERLAP_MS = 10_000;

type Sync = { config: EffectiveConfig; timers: Timers; nowMs: number; due: boolean };

/** What a poll has found so far. */
export type Poll = {
  /** Number of issues that were read. */
  seen: number;
  /** Statements to commit at the end of the poll. */
  notes: Statement[];
};

/**
 * Syncs one tracker and adds to `poll` what is done, so that it counts also if a later request
 * fails. Throws the tracker's error.
 */
export async function syncTracker(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections' | 'logger'> & {
    handleNewComments: Bound<typeof handleNewComments>;
  },
  tracker: Tracker,
  sync: Sync,
  poll: Poll,
): Promise<void> {
  const { timers, nowMs } = sync;
  if (tracker.kind === BUILT_IN) {
    const scope = syncScope(timers, tracker, sync);
    const { seen } = await syncTrackerIssues(deps, tracker, scope);
    poll.seen += seen;
    poll.notes.push(...recordSync(deps, timers, tracker, { nowMs, scope }));
    return;
  }
  const { scope, done } = await nextTrackerSync(deps.db, nowMs, sync.config);
  const before = await unreadableIssues(deps.db, tracker.kind);
  const isWhole = typeof scope === 'string';
  const again = unreadableAgain(before, { isWhole });
  const { seen, unreadable } = await syncTrackerIssues(deps, tracker, scope, again);
  poll.seen += seen;
  const read = { unreadable, again, isWhole };
  poll.notes.push(done, ...(await noteUnreadableIssues(deps, before, read)));
  const unread = [...before.issues, ...unreadable].flatMap(({ id }) => id ?? []);
  poll.notes.push(...(await deps.handleNewComments(tracker, unread)));
}

/** What a sync of the built-in tracker must read. */
function syncScope(
  timers: Timers,
  tracker: Tracker,
  { nowMs, due }: { nowMs: number; due: boolean },
): SyncScope {
  const { dueAtMs, payload } = timers.of('local_look');
  const { wholeAtMs, activeAtMs, roles } = payload;
  // After the roles of states changed, every issue must be synced again.
  if (typeof wholeAtMs !== 'number' || roles !== rolesOf(tracker)) return 'all';
  if (nowMs >= wholeAtMs + FULL_SYNC_EVERY_MS || typeof activeAtMs !== 'number') return 'all';
  const withActive = due || dueAtMs <= nowMs;
  return { sinceMs: Math.min(withActive ? wholeAtMs : activeAtMs, nowMs) - OVERLAP_MS, withActive };
}

function recordSync(
  { db }: Pick<Deps, 'db'>,
  timers: Timers,
  tracker: Tracker,
  { nowMs, scope }: { nowMs: number; scope: SyncScope },
): Statement[] {
  if (typeof scope === 'object' && !scope.withActive) return [];
  const wholeAtMs =
    typeof scope === 'string' ? nowMs : timers.of('local_look').payload['wholeAtMs'];
  const payload = { wholeAtMs, activeAtMs: nowMs, roles: rolesOf(tracker) };
  return [setTimer(db, 'local_look', nowMs + ACTIVE_SYNC_EVERY_MS, payload)];
}

function rolesOf(tracker: Tracker): string {
  return JSON.stringify(tracker.stateRoles());
}
