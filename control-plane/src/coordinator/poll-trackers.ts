import type { Deps } from '../deps.ts';
import { appendEvents } from '../events/append.ts';
import { syncTrackerIssues } from '../issues/sync-tracker-issues.ts';
import { pollingIntervalMs } from '../webhooks/polling-interval.ts';
import { notePoll, setTimer, timerDueAtMs } from './timers.ts';

const BUILT_IN = 'local';

/**
 * Looks at the built-in tracker always and at the configured one when its poll is due. A tracker
 * that fails keeps everything as it is and is asked again at the next interval.
 */
export async function pollTrackers(deps: Deps): Promise<void> {
  const config = await deps.config.load();
  const nowMs = deps.clock.nowMs();
  const due = (await timerDueAtMs(deps.db, 'poll')) <= nowMs;
  const kinds = new Set([BUILT_IN, ...(due ? [config.tracker.kind] : [])]);
  let outcome: 'success' | 'error' = 'success';
  let words: string | null = null;
  let seen = 0;
  for (const kind of kinds) {
    const tracker = deps.trackers.get(kind);
    if (tracker === undefined) {
      outcome = 'error';
      words = `there is no tracker of kind ${kind}`;
      deps.logger.error('no such tracker', { kind });
      continue;
    }
    try {
      seen += (await syncTrackerIssues(deps, tracker)).seen;
    } catch (error) {
      outcome = 'error';
      words = error instanceof Error ? error.message : String(error);
      deps.logger.error('tracker poll failed', { kind, error: words });
    }
  }
  if (!due) return;
  await deps.db.batch([
    setTimer(deps.db, 'poll', nowMs + (await pollingIntervalMs(deps, config))),
    notePoll(deps.db, { nowMs, status: outcome, error: words }),
    ...appendEvents(deps.db, nowMs, [
      {
        type: 'poll.completed',
        atMs: nowMs,
        data: { tracker: config.tracker.kind, status: outcome, seen },
      },
    ]),
  ]);
  const asked = deps.trackers.has(config.tracker.kind);
  deps.metrics.inc('service_orchestrator_polls_total', { status: asked ? outcome : 'skipped' });
}
