import type { Statement } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import { appendEvents } from '../observe/events/append-events.ts';
import { handleNewComments } from './handle-new-comments.ts';
import {
  noteUnreadableIssues,
  unreadableAgain,
  unreadableIssues,
} from '../issues/sync/unreadable-issues.ts';
import { type SyncScope, syncTrackerIssues } from '../issues/sync/sync-tracker-issues.ts';
import { type Tracker, TrackerError } from '../ports/tracker/tracker.ts';
import { pollingIntervalMs } from '../inbox/polling-interval.ts';
import { errorMessage, logMessage } from '../error-message.ts';
import { pollIntervalFactor } from './poll-interval-factor.ts';
import { notePoll, setTimer, type Timers } from '../jobs/queue/set-timer.ts';
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

/**
 * Syncs the built-in tracker on every run and the configured tracker when its poll is due. If a
 * tracker fails, its issues stay as they are, and it is polled again at the next interval.
 */
export async function pollTrackers(deps: Deps, timers: Timers): Promise<void> {
  const config = await deps.config.load();
  const nowMs = deps.clock.nowMs();
  const due = timers.of('poll').dueAtMs <= nowMs;
  const kinds = new Set([BUILT_IN, ...(due ? [config.tracker.kind] : [])]);
  let outcome: 'success' | 'error' = 'success';
  let words: string | null = null;
  let seen = 0;
  let notBeforeMs = 0;
  const notes: Statement[] = [];
  for (const kind of kinds) {
    const tracker = deps.trackers.get(kind);
    if (tracker === undefined) {
      outcome = 'error';
      words = `there is no tracker of kind ${kind}`;
      deps.logger.error('no such tracker', { kind });
      continue;
    }
    try {
      if (kind !== BUILT_IN) {
        const { scope, done } = await nextTrackerSync(deps.db, nowMs, config);
        const before = await unreadableIssues(deps.db, kind);
        const isWhole = typeof scope === 'string';
        const again = unreadableAgain(before, { isWhole });
        const synced = await syncTrackerIssues(deps, tracker, scope, again);
        seen += synced.seen;
        const { unreadable } = synced;
        const looked = { unreadable, again, isWhole };
        notes.push(done, ...(await noteUnreadableIssues(deps, before, looked)));
        const unread = [...before.issues, ...unreadable].flatMap(({ id }) => id ?? []);
        notes.push(...(await handleNewComments(deps, tracker, unread)));
        continue;
      }
      const scope = syncScope(timers, tracker, { nowMs, due });
      seen += (await syncTrackerIssues(deps, tracker, scope)).seen;
      notes.push(...recordSync(deps, timers, tracker, { nowMs, scope }));
    } catch (error) {
      outcome = 'error';
      words = errorMessage(error);
      if (error instanceof TrackerError) notBeforeMs = error.retryAtMs ?? 0;
      deps.logger.error('tracker poll failed', { kind, error: logMessage(error) });
    }
  }
  if (due) {
    const allowanceLeft = deps.trackers.get(config.tracker.kind)?.allowanceLeft?.() ?? null;
    const usualMs = await pollingIntervalMs(deps, config);
    const intervalMs = Math.round(usualMs * pollIntervalFactor(allowanceLeft));
    const nextMs = nowMs + intervalMs;
    const data = { tracker: config.tracker.kind, status: outcome, seen };
    notes.push(
      setTimer(deps.db, 'poll', Math.max(nextMs, notBeforeMs)),
      notePoll(deps.db, { nowMs, status: outcome, error: words, intervalMs, allowanceLeft }),
      ...appendEvents(deps.db, nowMs, [{ type: 'poll.completed', atMs: nowMs, data }]),
    );
    const asked = deps.trackers.has(config.tracker.kind);
    deps.metrics.inc('service_orchestrator_polls_total', { status: asked ? outcome : 'skipped' });
  }
  const [first, ...rest] = notes;
  if (first !== undefined) await deps.db.batch([first, ...rest]);
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
