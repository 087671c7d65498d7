import { DeliveryAnswer } from '@switchyard/shared/api/admin/webhook';
import type { Context } from 'hono';
import type { Bound, Deps } from '../../deps.ts';
import type { HttpEnv } from '../../http/bindings.ts';
import { webhookReceivers } from '../../integrations/webhook-receivers.ts';
import type { MetricProvider } from '../../ports/ports.ts';
import { createDeliveryInbox, type DeliveryInbox } from './create-delivery-inbox.ts';
import type { announceDelivery } from './announce-delivery.ts';
import type { createReadDelivery } from './create-read-delivery.ts';
import type { NewDelivery, storeDeliveries } from './store-delivery.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';

type ReceiverDeps = Pick<Deps, 'metrics'> & {
  readDelivery: ReturnType<typeof createReadDelivery>;
  storeDeliveries: Bound<typeof storeDeliveries>;
  announceDelivery: Bound<typeof announceDelivery>;
};

/** Routes that receive webhooks of the tracker and the code host. */
export function receiverRoutes(deps: ReceiverDeps) {
  const inbox = createDeliveryInbox(deps.storeDeliveries);
  const received = (provider: MetricProvider) => ({
    signedBody: true as const,
    answer: json(200, 'Stored, or received before', DeliveryAnswer),
    handler: async ({ c }: { c: Context<HttpEnv> }) => ({
      duplicate: await receiveOne(deps, inbox, c, provider),
    }),
  });
  return [
    endpoint({
      at: 'POST /webhooks/tracker',
      operationId: 'receiveTrackerDelivery',
      summary: `Delivery of the tracker, signed by ${webhookReceivers.tracker.signatureHeader}`,
      ...received('tracker'),
    }),
    endpoint({
      at: 'POST /webhooks/codehost',
      operationId: 'receiveCodehostDelivery',
      summary: `Delivery of the code host, signed by ${webhookReceivers.codehost.signatureHeader}`,
      ...received('codehost'),
    }),
  ] as const;
}

/** Verifies and stores a webhook; true when it was stored before. */
async function receiveOne(
  deps: ReceiverDeps,
  inbox: DeliveryInbox,
  c: Context,
  provider: MetricProvider,
): Promise<boolean> {
  const count = (status: 'accepted' | 'duplicate') =>
    deps.metrics.inc('service_webhook_deliveries_total', { provider, status });
  const read = { delivery: null as NewDelivery | null };
  const isNew = await inbox(async () => {
    const delivery = await deps.readDelivery(c, provider);
    read.delivery = delivery;
    return delivery;
  });
  count(isNew ? 'accepted' : 'duplicate');
  if (isNew && read.delivery !== null) deps.announceDelivery(provider, read.delivery);
  if (!isNew) deps.metrics.inc('service_webhook_duplicates_total', { provider });
  return !isNew;
}
