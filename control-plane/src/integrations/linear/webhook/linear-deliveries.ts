import type { Deps } from '../../../deps.ts';
import type { DeliveryHandler } from '../../../ports/ports.ts';
import type { IntegrationHost } from '../../integration.ts';
import type { LinearConnection } from '../connect-linear.ts';
import { createLinearDeliveryHandler, isSessionEvent } from './linear-delivery-handler.ts';
import { LINEAR_TRACKER } from '../linear-settings.ts';
import { checkLinearWebhook } from './linear-webhook.ts';

const ARRIVED_TIMEOUT_MS = 10_000;

/** Handles Linear's webhooks; those that people watch are handled as soon as they arrive. */
export function linearDeliveries(
  linear: LinearConnection,
  config: Deps['config'],
  host: IntegrationHost,
): DeliveryHandler {
  const handler = createLinearDeliveryHandler({
    sync: (ids) => host.syncIssues(linear.tracker, ids),
    hear: (comment) => host.handleComment({ ...comment, tracker: LINEAR_TRACKER }),
    isInSession: (place) => host.isInSession(LINEAR_TRACKER, place),
    handleInSession: (event) => host.handleSessionEvent({ ...event, tracker: LINEAR_TRACKER }),
    scope: linear.scope,
  });
  return {
    handle: (delivery, signal) => handler.handle(delivery, signal),
    async arrived(delivery) {
      if (!isSessionEvent(delivery.event)) return;
      await handler.handle(delivery, AbortSignal.timeout(ARRIVED_TIMEOUT_MS));
    },
    async checkSubscription() {
      const { webhookUrl } = (await config.load()).webhook;
      return webhookUrl === undefined ? null : checkLinearWebhook(linear.ask, webhookUrl);
    },
  };
}
