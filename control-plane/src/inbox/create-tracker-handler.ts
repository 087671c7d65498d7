import type { Deps } from '../deps.ts';
import { hearSessionEvent } from '../people/agent-sessions/hear-session-event.ts';
import { createOneByOne } from '../people/agent-sessions/one-by-one.ts';
import { belongsToSession } from '../people/agent-sessions/queries.ts';
import { hearComment } from '../issues/actions/hear-comment.ts';
import { syncIssues } from '../issues/sync/sync-tracker-issues.ts';
import type { DeliveryHandler } from '../ports.ts';
import type { LinearConnection } from '../integrations/linear/connect-linear.ts';
import {
  createLinearDeliveryHandler,
  isSessionEvent,
} from '../integrations/linear/linear-delivery-handler.ts';
import { visibleLine, visibleText } from '../attempts/prompt/untrusted-text.ts';
import { LINEAR_TRACKER } from '../integrations/linear/linear-settings.ts';
import { checkLinearWebhook } from '../integrations/linear/linear-webhook.ts';

const ARRIVED_TIMEOUT_MS = 10_000;

/**
 * Does what the tracker's deliveries ask for, by the use cases of polling. Those of a tracker that
 * is not the configured one are ignored.
 */
export function createTrackerHandler(deps: Deps, linear: LinearConnection): DeliveryHandler {
  const inTurn = createOneByOne();
  const handler = createLinearDeliveryHandler({
    sync: (ids) => syncIssues(deps, linear.tracker, ids),
    hear: (comment) =>
      hearComment(deps, {
        ...comment,
        tracker: LINEAR_TRACKER,
      }),
    isInSession: (comment) => belongsToSession(deps.db, LINEAR_TRACKER, comment),
    hearInSession: ({ words, person, ...event }, isAllowed) =>
      inTurn(event.sessionId, () =>
        hearSessionEvent(deps, {
          ...event,
          tracker: LINEAR_TRACKER,
          isAllowed,
          person: visibleLine(person?.name || person?.id || 'somebody'),
          words: words && { ...words, text: visibleText(words.text) },
        }),
      ),
    scope: linear.scope,
  });
  const isOurs = async () => (await deps.config.load()).tracker.kind === LINEAR_TRACKER;
  return {
    async handle(delivery, signal) {
      return (await isOurs()) ? handler.handle(delivery, signal) : { outcome: 'ignored' };
    },
    async arrived(delivery) {
      if (!isSessionEvent(delivery.event) || !(await isOurs())) return;
      await handler.handle(delivery, AbortSignal.timeout(ARRIVED_TIMEOUT_MS));
    },
    async checkSubscription() {
      const { tracker, webhook } = await deps.config.load();
      if (tracker.kind !== LINEAR_TRACKER || webhook.webhookUrl === undefined) return null;
      return checkLinearWebhook(linear.ask, webhook.webhookUrl);
    },
  };
}
