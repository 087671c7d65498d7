import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { Bound, Deps } from '../../deps.ts';
import { errorMessage, logMessage } from '../../error-message.ts';
import { pollingIntervalMs } from '../../inbox/polling-interval.ts';
import { notePoll, setTimer, type Timers } from '../../jobs/queue/set-timer.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { TrackerError } from '../../ports/tracker/tracker.ts';
import { BUILT_IN, type Poll, type syncTracker } from './sync-tracker.ts';

/**
 * While at least this share of the tracker's rate limit is left, polls follow the configured
 * interval.
 */
const PLENTY = 0.5;
const MAX_FACTOR = 20;

/**
 * Syncs the built-in tracker on every run and the configured tracker when its poll is due. If a
 * tracker fails, its issues stay as they are, and it is polled again at the next interval.
 */
export async function pollTrackers(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers' | 'metrics' | 'logger'> & {
    syncTracker: Bound<typeof syncTracker>;
  },
  config: EffectiveConfig,
  timers: Timers,
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const due = timers.of('poll').dueAtMs <= nowMs;
  const kinds = new Set([BUILT_IN, ...(due ? [config.tracker.kind] : [])]);
  let outcome: 'success' | 'error' = 'success';
  let failure: string | null = null;
  let notBeforeMs = 0;
  const poll: Poll = { seen: 0, notes: [] };
  for (const kind of kinds) {
    const tracker = deps.trackers.get(kind);
    if (tracker === undefined) {
      outcome = 'error';
      failure = `there is no tracker of kind ${kind}`;
      deps.logger.error('no such tracker', { kind });
      continue;
    }
    try {
      await deps.syncTracker(tracker, { config, timers, nowMs, due }, poll);
    } catch (error) {
      outcome = 'error';
      failure = errorMessage(error);
      if (error instanceof TrackerError) notBeforeMs = error.retryAtMs ?? 0;
      deps.logger.error('tracker poll failed', { kind, error: logMessage(error) });
    }
  }
  if (due) {
    const allowanceLeft = deps.trackers.get(config.tracker.kind)?.allowanceLeft?.() ?? null;
    const usualMs = await pollingIntervalMs(deps, config);
    const intervalMs = Math.round(usualMs * pollIntervalFactor(allowanceLeft));
    const nextMs = nowMs + intervalMs;
    const data = { tracker: config.tracker.kind, status: outcome, seen: poll.seen };
    poll.notes.push(
      setTimer(deps.db, 'poll', Math.max(nextMs, notBeforeMs)),
      notePoll(deps.db, { nowMs, status: outcome, error: failure, intervalMs, allowanceLeft }),
      ...appendEvents(deps.db, nowMs, [{ type: 'poll.completed', atMs: nowMs, data }]),
    );
    const asked = deps.trackers.has(config.tracker.kind);
    deps.metrics.inc('service_orchestrator_polls_total', { status: asked ? outcome : 'skipped' });
  }
  const [first, ...rest] = poll.notes;
  if (first !== undefined) await deps.db.batch([first, ...rest]);
}

/**
 * Factor by which the poll interval is lengthened so that the tracker's rate limit lasts, which
 * people and other programs use as well. 1 when the remaining share is unknown.
 */
function pollIntervalFactor(left: number | null): number {
  if (left === null || left >= PLENTY) return 1;
  return Math.min(MAX_FACTOR, PLENTY / Math.max(left, PLENTY / MAX_FACTOR));
}
