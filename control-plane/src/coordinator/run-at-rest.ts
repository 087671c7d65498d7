import type { Statement } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import { appendEvents } from '../observe/events/append-events.ts';
import { notePoll, setTimer, type TimerName } from '../jobs/queue/set-timer.ts';
import { probeDueWork } from './probe-due-work.ts';
import { BUILT_IN, FULL_SYNC_EVERY_MS } from './poll-trackers.ts';
import { runTimers } from './run-timers.ts';

/** The built-in tracker says itself what changes in it; this look finds what got lost. */
const POLL_EVERY_MS = 60_000;
/** Until what there is nothing of is looked for again; a whole run looks at once. */
const REST_MS = 300_000;

/**
 * What is left of a run that only a timer began, while nothing is under way, waits or is due: the
 * timers, set further apart. False when there is work: then a whole run has to follow.
 */
export async function runAtRest(deps: Deps): Promise<boolean> {
  const { timers, hasWork, hasPullRequests, hasWorkspaces } = await probeDueWork(deps);
  if (hasWork) return false;
  const nowMs = deps.clock.nowMs();
  const isDue = (name: TimerName) => timers.of(name).dueAtMs <= nowMs;
  const { wholeAtMs, roles } = timers.of('local_look').payload;
  if (typeof wholeAtMs !== 'number' || nowMs >= wholeAtMs + FULL_SYNC_EVERY_MS) return false;
  const config = await deps.config.load();
  if (isDue('poll') && config.tracker.kind !== BUILT_IN) return false;
  await runTimers(deps, timers, ['webhook_check', 'alerts', 'retention']);
  const statements: Statement[] = [];
  const rests = [
    ['pull_requests', hasPullRequests],
    ['workspaces', hasWorkspaces],
  ] as const;
  for (const [name, hasAny] of rests) {
    if (!isDue(name)) continue;
    if (hasAny) await runTimers(deps, timers, [name]);
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

/** The glance has shown that nothing changed in the built-in tracker. */
function polled({ db, metrics }: Deps, nowMs: number): Statement[] {
  metrics.inc('service_orchestrator_polls_total', { status: 'success' });
  const note = { nowMs, status: 'success', error: null, allowanceLeft: null };
  const data = { tracker: BUILT_IN, status: 'success', seen: 0 };
  return [
    setTimer(db, 'poll', nowMs + POLL_EVERY_MS),
    notePoll(db, { ...note, intervalMs: POLL_EVERY_MS }),
    ...appendEvents(db, nowMs, [{ type: 'poll.completed', atMs: nowMs, data }]),
  ];
}
