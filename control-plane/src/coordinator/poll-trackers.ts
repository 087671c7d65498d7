import type { Statement } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import { appendEvents } from '../events/append.ts';
import { syncTrackerIssues } from '../issues/sync-tracker-issues.ts';
import { type Tracker, TrackerError } from '../trackers/tracker.ts';
import { pollingIntervalMs } from '../webhooks/polling-interval.ts';
import { notePoll, setTimer, type Timers } from './timers.ts';
import { nextTrackerLook } from './tracker-look.ts';

const BUILT_IN = 'local';
/** Whole looks at the built-in tracker; between them only what changed is looked at. */
const WHOLE_LOOK_EVERY_MS = 30_000;
/** A change may carry an earlier time than its commit has: so much is looked at again. */
const OVERLAP_MS = 10_000;

/**
 * Looks at the built-in tracker always and at the configured one when its poll is due. A tracker
 * that fails keeps everything as it is and is asked again at the next interval.
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
        const look = await nextTrackerLook(deps.db, nowMs, config);
        seen += (await syncTrackerIssues(deps, tracker, look.sinceMs)).seen;
        notes.push(look.done);
        continue;
      }
      const sinceMs = due ? null : unseenSinceMs(timers, tracker, nowMs);
      seen += (await syncTrackerIssues(deps, tracker, sinceMs)).seen;
      if (sinceMs === null) notes.push(wholeLook(deps, tracker, nowMs));
    } catch (error) {
      outcome = 'error';
      words = error instanceof Error ? error.message : String(error);
      if (error instanceof TrackerError) notBeforeMs = error.retryAtMs ?? 0;
      deps.logger.error('tracker poll failed', { kind, error: words });
    }
  }
  if (due) {
    const nextMs = nowMs + (await pollingIntervalMs(deps, config));
    const data = { tracker: config.tracker.kind, status: outcome, seen };
    notes.push(
      setTimer(deps.db, 'poll', Math.max(nextMs, notBeforeMs)),
      notePoll(deps.db, { nowMs, status: outcome, error: words }),
      ...appendEvents(deps.db, nowMs, [{ type: 'poll.completed', atMs: nowMs, data }]),
    );
    const asked = deps.trackers.has(config.tracker.kind);
    deps.metrics.inc('service_orchestrator_polls_total', { status: asked ? outcome : 'skipped' });
  }
  const [first, ...rest] = notes;
  if (first !== undefined) await deps.db.batch([first, ...rest]);
}

/** Since when changes were not looked at for certain; null: a whole look is due. */
function unseenSinceMs(timers: Timers, tracker: Tracker, nowMs: number): number | null {
  const { dueAtMs, payload } = timers.of('local_look');
  const { atMs, roles } = payload;
  // Other roles make another thing of every state.
  if (dueAtMs <= nowMs || typeof atMs !== 'number' || roles !== rolesOf(tracker)) return null;
  return Math.min(atMs, nowMs) - OVERLAP_MS;
}

function wholeLook({ db }: Deps, tracker: Tracker, nowMs: number): Statement {
  const payload = { atMs: nowMs, roles: rolesOf(tracker) };
  return setTimer(db, 'local_look', nowMs + WHOLE_LOOK_EVERY_MS, payload);
}

function rolesOf(tracker: Tracker): string {
  return JSON.stringify(tracker.stateRoles());
}
