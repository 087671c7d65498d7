import type { Deps } from '../deps.ts';
import { hearComment } from '../issues/hear-comment.ts';
import { syncIssues } from '../issues/sync-tracker-issues.ts';
import type { DeliveryHandler } from '../ports.ts';
import type { LinearConnection } from '../trackers/linear/connect-linear.ts';
import { createLinearDeliveryHandler } from '../trackers/linear/linear-delivery-handler.ts';
import { visibleLine, visibleText } from '../templates/untrusted-text.ts';
import { LINEAR_TRACKER } from '../trackers/linear/linear-settings.ts';
import { checkLinearWebhook } from '../trackers/linear/linear-webhook.ts';

/** Longer words are not for a running turn. */
const MAX_COMMENT_CHARS = 20_000;

/**
 * Does what the tracker's deliveries ask for, by the use cases of polling. Those of a tracker that
 * is not the configured one are ignored.
 */
export function createTrackerHandler(deps: Deps, linear: LinearConnection): DeliveryHandler {
  const handler = createLinearDeliveryHandler({
    sync: (ids) => syncIssues(deps, linear.tracker, ids),
    hear: (comment) =>
      hearComment(deps, {
        ...comment,
        tracker: LINEAR_TRACKER,
        author: visibleLine(comment.author),
        body: visibleText(comment.body).slice(0, MAX_COMMENT_CHARS),
      }),
    scope: linear.scope,
  });
  return {
    async handle(delivery, signal) {
      const { tracker } = await deps.config.load();
      if (tracker.kind !== LINEAR_TRACKER) return { outcome: 'ignored' };
      return handler.handle(delivery, signal);
    },
    async checkSubscription() {
      const { tracker, webhook } = await deps.config.load();
      if (tracker.kind !== LINEAR_TRACKER || webhook.webhookUrl === undefined) return null;
      return checkLinearWebhook(linear.ask, webhook.webhookUrl);
    },
  };
}
