import { messageOf } from '@switchyard/shared/message-of';
import type { Deps } from '../deps.ts';
import type { Run } from './create-run.ts';

/** Delay after a failed run, for example after a database error. */
const RETRY_AFTER_FAILURE_MS = 2_000;
/**
 * Shortest time between two runs; after a longer run the gap is as long as that run, up to
 * `MAX_GAP_MS`. Wakes within the gap share the next run; the first one after it starts at once.
 */
const MIN_GAP_MS = 20;
const MAX_GAP_MS = 100;

type CoordinatorDeps = Pick<Deps, 'clock' | 'alarm' | 'errors' | 'logger'> & {
  run: Run;
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
    const { offered, follow } = await deps.run.decide();
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
      const isWhole = leads && ((mayRest && (await deps.run.rest())) || (await work()));
      const due = isWhole ? await deps.run.nextDueAtMs() : null;
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
