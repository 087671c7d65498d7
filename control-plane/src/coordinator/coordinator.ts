import { sql } from 'drizzle-orm';
import { sealEntries } from '../audit/seal-entries.ts';
import { followRuns } from '../automations/follow-runs.ts';
import { startDueAutomations } from '../automations/start-due.ts';
import { effectGivenUp, performEffect } from '../delivery/perform-effect.ts';
import type { Deps } from '../deps.ts';
import { dispatch } from '../dispatch/dispatch.ts';
import { leadsNow } from '../leadership/leads-now.ts';
import { serveChannels } from '../notifications/serve-channels.ts';
import { spreadNotifications } from '../notifications/spread.ts';
import { runOutbox } from '../outbox/run-outbox.ts';
import { expireRequests } from '../requests/expire-requests.ts';
import { sweepLeases } from '../runners/sweep-leases.ts';
import { processDeliveries } from '../webhooks/process-deliveries.ts';
import { checkSubscriptionsWhenDue } from './check-subscriptions-when-due.ts';
import { evaluateWhenDue } from './evaluate-when-due.ts';
import { nextDueAtMs } from './next-due.ts';
import { sweepWhenDue } from './sweep-when-due.ts';
import { pollTrackers } from './poll-trackers.ts';

/** After a run that failed, for example because the database did. */
const RETRY_AFTER_FAILURE_MS = 2_000;
/** Runs follow each other at least this far apart, whatever the rows say. */
const MIN_GAP_MS = 20;

/**
 * One run: effects first, so that the tracker shows our own moves before it is looked at; then what
 * is due; then the trackers; then free slots. Every step is safe to repeat.
 */
export async function runOnce(deps: Deps): Promise<void> {
  const drainOutbox = () =>
    runOutbox(
      deps,
      (row, effect) => performEffect(deps, row, effect),
      (row, effect, message) => effectGivenUp(deps, row, effect, message),
      () => stillLeads(deps),
    );
  await drainOutbox();
  await sweepLeases(deps);
  await expireRequests(deps);
  await processDeliveries(deps);
  await checkSubscriptionsWhenDue(deps);
  await startDueAutomations(deps);
  await pollTrackers(deps);
  await dispatch(deps);
  await drainOutbox();
  await followRuns(deps);
  await evaluateWhenDue(deps);
  await spreadNotifications(deps);
  await serveChannels(deps);
  await sweepWhenDue(deps);
  await sealEntries(deps);
  deps.events.notify(0);
}

async function stillLeads({ db, clock, service }: Deps): Promise<boolean> {
  const row = await db.get<{ leads: number }>(
    sql`select ${leadsNow(service.instanceId, clock.nowMs())} as leads`,
  );
  return row?.leads === 1;
}

export type CoordinatorDeps = Deps & {
  /** Takes or keeps the leadership before every run; a standby only waits for its turn. */
  lead: () => Promise<{ leads: boolean; lookAgainAtMs: number }>;
};

export type Coordinator = {
  /** Runs as soon as possible; calls during a run are folded into one more. */
  wake(): void;
  /** Resolves when nothing runs; further wakes do nothing. */
  stop(): Promise<void>;
};

/** The one decider: never runs twice at a time and keeps the alarm at the next due row. */
export function createCoordinator(deps: CoordinatorDeps): Coordinator {
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  async function loop(): Promise<void> {
    do {
      again = false;
      let dueAtMs: number;
      try {
        const { leads, lookAgainAtMs } = await deps.lead();
        if (leads) await runOnce(deps);
        const due = leads
          ? await nextDueAtMs(deps.db, {
              nowMs: deps.clock.nowMs(),
              leadsSinceMs: deps.service.leadsSinceMs,
              leases: deps.leases,
            })
          : null;
        dueAtMs = Math.min(lookAgainAtMs, due ?? Number.POSITIVE_INFINITY);
      } catch (error) {
        deps.errors.capture(error, { operation: 'coordinator run' });
        deps.logger.error('coordinator run failed', {
          error: error instanceof Error ? error.message : String(error),
        });
        dueAtMs = deps.clock.nowMs() + RETRY_AFTER_FAILURE_MS;
      }
      deps.alarm.set(Math.max(dueAtMs, deps.clock.nowMs() + MIN_GAP_MS));
    } while (again && !stopped);
  }

  function wake(): void {
    if (stopped) return;
    if (running !== null) {
      again = true;
      return;
    }
    running = loop().finally(() => {
      running = null;
      // A wake between the last look at `again` and here must not be lost.
      if (again) wake();
    });
  }

  return {
    wake,
    async stop() {
      stopped = true;
      await running;
    },
  };
}
