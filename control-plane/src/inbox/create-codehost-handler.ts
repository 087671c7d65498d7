import type { Deps } from '../deps.ts';
import type { Connected } from '../integrations/integration.ts';
import { handlePullRequestDelivery } from '../pull-requests/feedback/handle-pull-request-delivery.ts';
import type { DeliveryHandler, DeliveryResult, StoredDelivery } from '../ports/ports.ts';
import { deliverySecret } from './receive/delivery-secret.ts';

type IssueDeliveries = Pick<Connected, 'issueDeliveries'>;

/** Handles the code host's webhooks about pull requests and issues. */
export function createCodehostHandler(
  deps: Deps,
  connected: readonly IssueDeliveries[],
): DeliveryHandler {
  return {
    handle: async (delivery, signal) =>
      (await handleIssueDelivery(connected, delivery)) ??
      handlePullRequestDelivery(deps, delivery, signal),
    checkSubscription: (signal) => checkWebhook(deps, signal),
  };
}

/** The result of the first provider that takes the webhook; null when it concerns no issue. */
async function handleIssueDelivery(
  connected: readonly IssueDeliveries[],
  delivery: StoredDelivery,
): Promise<DeliveryResult | null> {
  for (const { issueDeliveries } of connected) {
    const result = (await issueDeliveries?.(delivery)) ?? null;
    if (result !== null) return result;
  }
  return null;
}

async function checkWebhook(
  deps: Pick<Deps, 'config' | 'resolveSecret' | 'codeHosts'>,
  signal: AbortSignal,
) {
  // Without a secret no webhook is in use.
  if ((await deliverySecret(deps, 'codehost')) === null) return null;
  const { repos, webhook } = await deps.config.load();
  const { webhookUrl } = webhook;
  const host = webhookUrl === undefined ? null : new URL(webhookUrl).host;
  const repositoryUrls = repos.map(({ url }) => url);
  for (const codeHost of deps.codeHosts) {
    const status = await codeHost.checkWebhook?.({ repositoryUrls, host }, signal);
    if (status !== undefined && status !== null) return status;
  }
  return null;
}
