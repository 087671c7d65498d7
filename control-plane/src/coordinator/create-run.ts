import { advanceReviews } from '../pull-requests/reviews/advance-reviews.ts';
import { sql } from 'drizzle-orm';
import { expireRequests } from '../attempts/requests/expire-requests.ts';
import type { Deps } from '../deps.ts';
import { dispatch } from '../dispatch/dispatch.ts';
import { offerAttempt } from '../dispatch/offer/offer-attempt.ts';
import { processDeliveries } from '../inbox/process-deliveries.ts';
import { createTriggerHandler } from '../inbox/triggers/create-trigger-handler.ts';
import { endParents } from '../issues/sub-issues/end-parents.ts';
import { leadsNow } from '../jobs/leadership/leads-now.ts';
import { NOTIFICATION_DELIVERY, WORKSPACE_REMOVAL } from '../jobs/queue/effect.ts';
import { runJobs } from '../jobs/queue/run-jobs.ts';
import { readTimers } from '../jobs/queue/set-timer.ts';
import { fanOutNotifications } from '../notifications/fan-out-notifications.ts';
import { sealEntries } from '../observe/audit/chain/seal-entries.ts';
import { followSessions } from '../people/agent-sessions/follow-sessions.ts';
import { advanceMergeQueue } from '../pull-requests/merge-queue/advance-queue.ts';
import { followRuns } from '../people/automations/follow-runs.ts';
import { startDueAutomations } from '../people/automations/start-due-automations.ts';
import { channelHandler } from '../people/channels/channel-handler.ts';
import { reclaimAttempt } from '../runners/leases/reclaim-attempt.ts';
import { sweepLeases } from '../runners/leases/sweep-leases.ts';
import { removalHandler } from '../runners/workspaces/clean-finished-workspaces.ts';
import { createEffectHandler } from './create-effect-handler.ts';
import { handleNewComments } from './trackers/handle-new-comments.ts';
import { nextDueAtMs } from './next-due-at-ms.ts';
import { createPeriodicTasks } from './periodic-tasks.ts';
import { pollTrackers } from './trackers/poll-trackers.ts';
import { runAtRest } from './run-at-rest.ts';
import { runTimers } from './run-timers.ts';
import { syncTracker } from './trackers/sync-tracker.ts';

/**
 * The result of a run up to its offers; `follow` performs the remaining steps and is idempotent.
 */
type Decided = { offered: number; follow: () => Promise<void> };

/** The parts of a run of the coordinator. */
export type Run = {
  /**
   * The first steps: effects, so that the tracker shows this service's moves before it is polled;
   * then everything due; then the trackers; then free slots.
   */
  decide(): Promise<Decided>;
  /** Replaces a run in which nothing is to be done; false when there is work. */
  rest(): Promise<boolean>;
  /** When the next row is due, epoch milliseconds; null when none is. */
  nextDueAtMs(): Promise<number | null>;
};

/** Connects the steps of a run in their order. Every step is idempotent. */
export function createRun(deps: Deps): Run {
  const delivered = { ...deps, triggers: createTriggerHandler(deps) };
  const doJobs = () => runJobs(deps, { handlerOf, mayGoOn: () => stillLeads(deps) });
  const others = new Map([
    [NOTIFICATION_DELIVERY, channelHandler(deps)],
    [WORKSPACE_REMOVAL, removalHandler(deps)],
  ]);
  const effects = createEffectHandler(deps);
  const handlerOf = (kind: string) => others.get(kind) ?? effects;
  const leases = { ...deps, reclaimAttempt: reclaimAttempt.bind(undefined, deps) };
  const timed = { ...deps, tasks: createPeriodicTasks(deps) };
  const polled = {
    ...deps,
    syncTracker: syncTracker.bind(undefined, {
      ...deps,
      handleNewComments: handleNewComments.bind(undefined, deps),
    }),
  };
  const offering = { ...deps, offerAttempt: offerAttempt.bind(undefined, deps) };

  async function decide(): Promise<Decided> {
    await doJobs();
    await sweepLeases(leases);
    await expireRequests(deps);
    const handled = await processDeliveries(delivered);
    const timers = await readTimers(deps.db);
    const dispatched = async () => {
      await startDueAutomations(deps);
      const looked = await runTimers(timed, timers, ['webhook_check', 'pull_requests']);
      // Effects of these decisions move issues before the tracker is polled.
      if (handled.seen > 0 || looked) await doJobs();
      await pollTrackers(polled, await deps.config.load(), timers);
      await endParents(deps);
      // Before the merge queue, which takes no pull request whose review is due.
      await advanceReviews(deps);
      await advanceMergeQueue(deps);
      return dispatch(offering);
    };
    // The ends of webhook deliveries and the resulting offers share a commit where possible.
    const [ended, done] = await Promise.allSettled([handled.endRest(), dispatched()]);
    if (ended.status === 'rejected') throw ended.reason;
    if (done.status === 'rejected') throw done.reason;
    const follow = async () => {
      await followSessions(deps);
      await doJobs();
      await followRuns(deps);
      await runTimers(timed, timers, ['alerts', 'workspaces', 'retention']);
      await fanOutNotifications(deps);
      await doJobs();
      await sealEntries(deps);
      deps.events.notify();
    };
    return { offered: done.value.offered, follow };
  }

  return {
    decide,
    rest: () => runAtRest({ ...deps, runTimers: runTimers.bind(undefined, timed) }),
    nextDueAtMs: () => nextDueAtMs(deps),
  };
}

async function stillLeads(deps: Pick<Deps, 'db' | 'clock' | 'service'>): Promise<boolean> {
  const row = await deps.db.get<{ leads: number }>(sql`select ${leadsNow(deps)} as leads`);
  return row?.leads === 1;
}
