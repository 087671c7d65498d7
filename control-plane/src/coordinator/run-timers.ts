import type { Deps } from '../deps.ts';
import type { Statement } from '../db/database.ts';
import { checkSubscriptions } from '../inbox/check-subscriptions.ts';
import { codehostIntervalMs } from '../inbox/polling-interval.ts';
import { evaluateRules } from '../people/alerts/evaluate-rules.ts';
import { pollPullRequests } from '../pull-requests/feedback/poll-pull-requests.ts';
import { cleanFinishedWorkspaces } from '../runners/workspaces/clean-finished-workspaces.ts';
import { setTimer, stopTimer, type TimerName, type Timers } from '../jobs/queue/set-timer.ts';
import { sweepRetention } from './sweep-retention.ts';

/** When a timer is due next and further statements to commit; null: there is nothing left to do. */
type Next = { atMs: number; statements?: readonly Statement[] } | null;
type Periodic = (deps: Deps, nowMs: number) => Promise<Next>;

/** The recurring tasks. A task that leaves work is due again soon. */
const PERIODIC = {
  /** Checks whether the webhook providers still send. */
  async webhook_check(deps, nowMs) {
    const handlers = [...(deps.deliveryHandlers?.values() ?? [])];
    if (handlers.every((handler) => handler.checkSubscription === undefined)) return null;
    const { webhook } = await deps.config.load();
    const statements = await checkSubscriptions(deps);
    return { atMs: nowMs + webhook.healthCheckIntervalMs, statements };
  },
  /** Syncs open pull requests, as often as trackers are polled. */
  async pull_requests(deps, nowMs) {
    const notBeforeMs = await pollPullRequests(deps);
    const intervalMs = await codehostIntervalMs(deps, await deps.config.load());
    return { atMs: Math.max(nowMs + intervalMs, notBeforeMs) };
  },
  /** Evaluates the enabled alert rules. */
  async alerts(deps, nowMs) {
    const rules = (await deps.config.load()).alerts.rules.filter((rule) => rule.enabled);
    if (rules.length === 0) return null;
    return { atMs: nowMs + ((await evaluateRules(deps, rules)) ? 1_000 : 15_000) };
  },
  /** Removes workspaces whose issue has ended. */
  async workspaces(deps, nowMs) {
    return { atMs: nowMs + ((await cleanFinishedWorkspaces(deps)) ? 2_000 : 10_000) };
  },
  /** Deletes old rows a few at a time. */
  async retention(deps, nowMs) {
    const { retention } = await deps.config.load();
    return { atMs: nowMs + ((await sweepRetention(deps, retention)) ? 5_000 : 3_600_000) };
  },
} satisfies Partial<Record<TimerName, Periodic>>;

/** Runs the named timers that are due and sets each one again. True when any was due. */
export async function runTimers(
  deps: Deps,
  timers: Timers,
  names: readonly (keyof typeof PERIODIC)[],
): Promise<boolean> {
  let ran = false;
  for (const name of names) {
    const { dueAtMs, payload } = timers.of(name);
    const nowMs = deps.clock.nowMs();
    // A resting timer runs at once: its run is only requested when there is work again.
    const rests = payload['resting'] === true;
    if (dueAtMs > nowMs && !rests) continue;
    const run: Periodic = PERIODIC[name];
    const next = await run(deps, nowMs);
    if (next === null && dueAtMs === 0) continue;
    ran = true;
    const set =
      next === null
        ? stopTimer(deps.db, name)
        : setTimer(deps.db, name, next.atMs, rests ? {} : undefined);
    await deps.db.batch([set, ...(next?.statements ?? [])]);
  }
  return ran;
}
