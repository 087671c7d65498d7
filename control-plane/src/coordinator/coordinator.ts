import { messageOf } from '@switchyard/shared/message-of';
import { sql } from 'drizzle-orm';
import { followSessions } from '../people/agent-sessions/follow-sessions.ts';
import { sealEntries } from '../observe/audit/chain/seal-entries.ts';
import { followRuns } from '../people/automations/follow-runs.ts';
import { startDueAutomations } from '../people/automations/start-due-automations.ts';
import { effectHandler } from './effect-handler.ts';
import type { Deps } from '../deps.ts';
import { dispatch } from '../dispatch/dispatch.ts';
import { leadsNow } from '../jobs/leadership/leads-now.ts';
import { channelHandler } from '../people/channels/channel-handler.ts';
import { fanOutNotifications } from '../notifications/fan-out-notifications.ts';
import { NOTIFICATION_DELIVERY, WORKSPACE_REMOVAL } from '../jobs/queue/effect.ts';
import { runJobs } from '../jobs/queue/run-jobs.ts';
import { expireRequests } from '../attempts/requests/expire-requests.ts';
import { removalHandler } from '../runners/workspaces/clean-finished-workspaces.ts';
import { sweepLeases } from '../runners/leases/sweep-leases.ts';
import { processDeliveries } from '../inbox/process-deliveries.ts';
import { nextDueAtMs } from './next-due-at-ms.ts';
import { pollTrackers } from './poll-trackers.ts';
import { readTimers } from '../jobs/queue/set-timer.ts';
import { runAtRest } from './run-at-rest.ts';
import { runTimers } from './run-timers.ts';

/** Delay after a failed run, for example after a database error. */
const RETRY_AFTER_FAILURE_MS = 2_000;
/**
 * Shortest time between two runs; after a longer run the gap is as long as that run, up to
 * `MAX_GAP_MS`. Wakes within the gap share the next run; the first one after it starts at once.
 */
const MIN_GAP_MS = 20;
const MAX_GAP_MS = 100;

/**
 * The result of a run up to its offers; `follow` performs the remaining steps and is idempotent.
 */
type Decided = { offered: number; follow: () => Promise<void> };

/** One complete run of the coordinator. Every step is idempotent. */
export async function runOnce(deps: Deps): Promise<void> {
  const { follow } = await decide(deps);
  await follow();
}

/**
 * The first steps of a run: effects, so that the tracker shows this service's moves before it is
 * polled; then everything due; then the trackers; then free slots.
 */
async function decide(deps: Deps): Promise<Decided> {
  const effects = effectHandler(deps);
  const others = new Map([
    [NOTIFICATION_DELIVERY, channelHandler(deps)],
    [WORKSPACE_REMOVAL, removalHandler(deps)],
  ]);
  const handlerOf = (kind: string) => others.get(kind) ?? effects;
  const doJobs = () => runJobs(deps, { handlerOf, mayGoOn: () => stillLeads(deps) });
  await doJobs();
  await sweepLeases(deps);
  await expireRequests(deps);
  const heard = await processDeliveries(deps);
  const timers = await readTimers(deps.db);
  const dispatched = async () => {
    await startDueAutomations(deps);
    const looked = await runTimers(deps, timers, ['webhook_check', 'pull_requests']);
    // Effects of these decisions move issues before the tracker is polled.
    if (heard.seen > 0 || looked) await doJobs();
    await pollTrackers(deps, timers);
    return dispatch(deps);
  };
  // The ends of webhook deliveries and the resulting offers share a commit where possible.
  const [ended, done] = await Promise.allSettled([heard.endRest(), dispatched()]);
  if (ended.status === 'rejected') throw ended.reason;
  if (done.status === 'rejected') throw done.reason;
  const follow = async () => {
    await followSessions(deps);
    await doJobs();
    await followRuns(deps);
    await runTimers(deps, timers, ['alerts', 'workspaces', 'retention']);
    await fanOutNotifications(deps);
    await doJobs();
    await sealEntries(deps);
    deps.events.notify();
  };
  return { offered: done.value.offered, follow };
}

async function stillLeads(deps: Pick<Deps, 'db' | 'clock' | 'service'>): Promise<boolean> {
  const row = await deps.db.get<{ leads: number }>(sql`select ${leadsNow(deps)} as leads`);
  return row?.leads === 1;
}

export type CoordinatorDeps = Deps & {
  /** Acquires or renews the leadership before every run; a standby instance only waits. */
  lead: () => Promise<{ leads: boolean; nextCheckAtMs: number }>;
};

export type Coordinator = {
  /**
   * Starts a run at once after a rest; calls during a run or in the gap after it share the next
   * run. `byAlarm`: only the alarm's time has come, so that a cheap probe may replace the run.
   */
  wake(byAlarm?: boolean): void;
  /** Resolves when no run is in progress. */
  settled(): Promise<void>;
  /** Stops the coordinator; resolves when no run is in progress. Later wakes are no-ops. */
  stop(): Promise<void>;
};

/** Creates the coordinator. It never runs twice at once and sets the alarm to the next due row. */
export function createCoordinator(deps: CoordinatorDeps): Coordinator {
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  /** Time before which no run begins, epoch milliseconds. */
  let restUntilMs = 0;
  /** Whether something other than an alarm requested the next run. */
  let isWoken = false;
  /** Whether the last run left its `follow` steps to this one. */
  let owed = false;

  /**
   * After offers the remaining steps are left to the next run, because runners answer at once and
   * their messages must not wait.
   */
  async function work(): Promise<boolean> {
    const { offered, follow } = await decide(deps);
    owed = offered > 0 && !owed;
    if (owed) again = true;
    else await follow();
    return !owed;
  }

  async function run(): Promise<void> {
    again = false;
    const mayRest = !isWoken && !owed;
    isWoken = false;
    const beganAtMs = deps.clock.nowMs();
    let dueAtMs: number;
    try {
      const { leads, nextCheckAtMs } = await deps.lead();
      const isWhole = leads && ((mayRest && (await runAtRest(deps))) || (await work()));
      const due = isWhole
        ? await nextDueAtMs(deps.db, {
            nowMs: deps.clock.nowMs(),
            leasesRestMs: deps.service.leasesRestUntilMs - deps.clock.monotonicMs(),
            leases: deps.service.leaseTimes,
          })
        : null;
      dueAtMs = Math.min(nextCheckAtMs, due ?? Number.POSITIVE_INFINITY);
    } catch (error) {
      isWoken = true;
      deps.errors.capture(error, { operation: 'coordinator run' });
      deps.logger.error('coordinator run failed', {
        error: messageOf(error),
      });
      dueAtMs = deps.clock.nowMs() + RETRY_AFTER_FAILURE_MS;
    }
    const nowMs = deps.clock.nowMs();
    const gapMs = Math.min(Math.max(nowMs - beganAtMs, MIN_GAP_MS), MAX_GAP_MS);
    restUntilMs = nowMs + gapMs;
    deps.alarm.set(again ? restUntilMs : Math.max(dueAtMs, restUntilMs));
    again = false;
  }

  function wake(byAlarm = false): void {
    if (stopped) return;
    if (!byAlarm) isWoken = true;
    if (running !== null) {
      again = true;
      return;
    }
    const nowMs = deps.clock.nowMs();
    // After the clock was set back, the rest must not last long.
    if (nowMs < restUntilMs && restUntilMs - nowMs <= MAX_GAP_MS) {
      deps.alarm.set(restUntilMs);
      return;
    }
    running = run().finally(() => {
      running = null;
      // A wake after the last check of `again` must not be lost.
      if (again) wake();
    });
  }

  return {
    wake,
    async settled() {
      while (running !== null) await running;
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}
