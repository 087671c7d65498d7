import type { Statement } from '../db/database.ts';
import type { Bound, Deps } from '../deps.ts';
import { appendEvents } from '../observe/events/append-events.ts';
import { notePoll, setTimer, type TimerName } from '../jobs/queue/set-timer.ts';
import { probeDueWork } from './probe-due-work.ts';
import { BUILT_IN, FULL_SYNC_EVERY_MS } from './trackers/sync-tracker.ts';
import type { runTimers } from './run-timers.ts';

/**
 * Interval of safety polls: the built-in tracker reports its changes itself, and a poll finds lost
 * ones.
 */
const POLL_EVERY_MS = 60_000;
/** Longer interval of a timer without work; a complete run ends it. */
const REST_MS = 300_000;

/**
 * Replaces a complete run when only the alarm started it and nothing is running, waiting or due:
 * runs the timers and sets them further apart. False when there is work, so that a complete run
 * must follow.
 */
export async function runAtRest(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'metrics'> & { runTimers: Bound<typeof runTimers> },
): Promise<boolean> {
  const { timers, hasWork, hasPullRequests, hasWorkspaces } = await probeDueWork(deps);
  if (hasWork) return false;
  const nowMs = deps.clock.nowMs();
  const isDue = (name: TimerName) => timers.of(name).dueAtMs <= nowMs;
  const { wholeAtMs, roles } = timers.of('local_look').payload;
  if (typeof wholeAtMs !== 'number' || nowMs >= wholeAtMs + FULL_SYNC_EVERY_MS) return false;
  const config = await deps.config.load();
  if (isDue('poll') && config.tracker.kind !== BUILT_IN) return false;
  await deps.runTimers(timers, ['webhook_check', 'alerts', 'retention']);
  const statements: Statement[] = [];
  const rests = [
    ['pull_requests', hasPullRequests],
    ['workspaces', hasWorkspaces],
  ] as const;
  for (const [name, hasAny] of rests) {
    if (!isDue(name)) continue;
    if (hasAny) await deps.runTimers(timers, [name]);
    else statements.push(setTimer(deps.db, name, nowMs + REST_MS, { resting: true }));
  }
  if (isDue('poll')) statements.push(...polled(deps, nowMs));
  if (isDue('poll') || isDue('local_look')) {
    const payload = { wholeAtMs, activeAtMs: nowMs, roles };
    statements.push(setTimer(deps.db, 'local_look', nowMs + POLL_EVERY_MS, payload));
  }
  const [first, ...rest] = statements;
  if (first !== undefined) await deps.db.batch([first, ...rest]);
  return true;
}

/** Records a poll of the built-in tracker without reading it, since the probe found no change. */
function polled({ db, metrics }: Pick<Deps, 'db' | 'metrics'>, nowMs: number): Statement[] {
  metrics.inc('service_orchestrator_polls_total', { status: 'success' });
  const note = { nowMs, status: 'success', error: null, allowanceLeft: null };
  const data = { tracker: BUILT_IN, status: 'success', seen: 0 };
  return [
    setTimer(db, 'poll', nowMs + POLL_EVERY_MS),
    notePoll(db, { ...note, intervalMs: POLL_EVERY_MS }),
    ...appendEvents(db, nowMs, [{ type: 'poll.completed', atMs: nowMs, data }]),
  ];
}
