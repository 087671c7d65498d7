import type { Statement } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import { checkSubscriptions } from '../inbox/check-subscriptions.ts';
import { codehostIntervalMs } from '../inbox/polling-interval.ts';
import { evaluateRules } from '../people/alerts/evaluate-rules.ts';
import { pollPullRequests } from '../pull-requests/feedback/poll-pull-requests.ts';
import { cleanFinishedWorkspaces } from '../runners/workspaces/clean-finished-workspaces.ts';
import { sweepRetention } from './sweep-retention.ts';

/** When a timer is due next and further statements to commit; null: there is nothing left to do. */
type Next = { atMs: number; statements?: readonly Statement[] } | null;

/** The recurring tasks by the names of their timers. */
export type PeriodicTasks = Record<
  'webhook_check' | 'pull_requests' | 'alerts' | 'workspaces' | 'retention',
  (nowMs: number) => Promise<Next>
>;

/** Connects the recurring tasks. A task that leaves work is due again soon. */
export function createPeriodicTasks(deps: Deps): PeriodicTasks {
  return {
    /** Checks whether the webhook providers still send. */
    async webhook_check(nowMs) {
      const handlers = [...(deps.deliveryHandlers?.values() ?? [])];
      if (handlers.every((handler) => handler.checkSubscription === undefined)) return null;
      const { webhook } = await deps.config.load();
      const statements = await checkSubscriptions(deps);
      return { atMs: nowMs + webhook.healthCheckIntervalMs, statements };
    },
    /** Syncs open pull requests, as often as trackers are polled. */
    async pull_requests(nowMs) {
      const failures = await pollPullRequests(deps);
      for (const { message } of failures)
        deps.logger.warn('a pull request could not be looked at', { error: message });
      const notBeforeMs = Math.max(0, ...failures.map(({ retryAtMs }) => retryAtMs ?? 0));
      const intervalMs = await codehostIntervalMs(deps, await deps.config.load());
      return { atMs: Math.max(nowMs + intervalMs, notBeforeMs) };
    },
    /** Evaluates the enabled alert rules. */
    async alerts(nowMs) {
      const rules = (await deps.config.load()).alerts.rules.filter((rule) => rule.enabled);
      if (rules.length === 0) return null;
      return { atMs: nowMs + ((await evaluateRules(deps, rules)) ? 1_000 : 15_000) };
    },
    /** Removes workspaces whose issue has ended. */
    async workspaces(nowMs) {
      return { atMs: nowMs + ((await cleanFinishedWorkspaces(deps)) ? 2_000 : 10_000) };
    },
    /** Deletes old rows a few at a time. */
    async retention(nowMs) {
      const { retention } = await deps.config.load();
      return { atMs: nowMs + ((await sweepRetention(deps, retention)) ? 5_000 : 3_600_000) };
    },
  };
}
