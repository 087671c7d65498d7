import { DeliveryAnswer } from '@switchyard/shared/api/admin/webhook';
import type { Context } from 'hono';
import type { Deps } from '../../deps.ts';
import type { HttpEnv } from '../../http/bindings.ts';
import { AppError } from '../../errors.ts';
import type { VerifiedDelivery } from '../../integrations/webhook/verified-delivery.ts';
import { webhookReceivers } from '../../integrations/webhook-receivers.ts';
import type { MetricProvider } from '../../ports/ports.ts';
import { createDeliveryInbox, type DeliveryInbox } from './create-delivery-inbox.ts';
import { deliverySecret } from './delivery-secret.ts';
import { storeDeliveries } from './store-delivery.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { createTakeCodehostBody, type TakeCodehostBody } from './take-codehost-body.ts';

type ReceiverDeps = Pick<
  Deps,
  | 'db'
  | 'clock'
  | 'wake'
  | 'config'
  | 'resolveSecret'
  | 'metrics'
  | 'background'
  | 'deliveryHandlers'
  | 'startHmac'
>;

type Receiver = { inbox: DeliveryInbox; takeCodehostBody: TakeCodehostBody };

/** Routes that receive webhooks of the tracker and the code host. */
export function receiverRoutes(deps: ReceiverDeps, { trustedHops = 0 }: { trustedHops?: number }) {
  const receiver = {
    inbox: createDeliveryInbox((deliveries) => storeDeliveries(deps, deliveries)),
    takeCodehostBody: createTakeCodehostBody(trustedHops),
  };
  const received = (provider: MetricProvider) => ({
    signedBody: true as const,
    answer: json(200, 'Stored, or received before', DeliveryAnswer),
    handler: async ({ c }: { c: Context<HttpEnv> }) => ({
      duplicate: await receiveOne(deps, receiver, c, provider),
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
  { inbox, takeCodehostBody }: Receiver,
  c: Context,
  provider: MetricProvider,
): Promise<boolean> {
  const count = (status: 'accepted' | 'duplicate') =>
    deps.metrics.inc('service_webhook_deliveries_total', { provider, status });
  const read = { delivery: null as VerifiedDelivery | null };
  const isNew = await inbox(async () => {
    const delivery = await readDelivery(deps, takeCodehostBody, { c, provider });
    read.delivery = delivery;
    return delivery;
  });
  count(isNew ? 'accepted' : 'duplicate');
  if (isNew && read.delivery !== null) announce(deps, provider, read.delivery);
  if (!isNew) deps.metrics.inc('service_webhook_duplicates_total', { provider });
  return !isNew;
}

async function readDelivery(
  deps: Pick<Deps, 'clock' | 'config' | 'resolveSecret' | 'startHmac'>,
  takeCodehostBody: TakeCodehostBody,
  { c, provider }: { c: Context; provider: MetricProvider },
) {
  const secret = await deliverySecret(deps, provider);
  if (secret === null) {
    throw new AppError('unavailable', `no secret is set for deliveries of the ${provider}`, {
      reason: 'not_configured',
    });
  }
  const { headers } = c.req.raw;
  const { startHmac, clock } = deps;
  const signed = async (): Promise<VerifiedDelivery> => {
    if (provider === 'codehost')
      return webhookReceivers.codehost.read(
        headers,
        await takeCodehostBody(c, { secret, startHmac }),
      );
    const body = new Uint8Array(await c.req.arrayBuffer());
    return webhookReceivers.tracker.read(secret, { headers, body, nowMs: clock.nowMs() });
  };
  return { ...(await signed()), provider, requestId: c.get('requestId') ?? null };
}

/** Runs after the acknowledgement, which must not wait for it. */
function announce(
  deps: Pick<Deps, 'clock' | 'background' | 'deliveryHandlers'>,
  provider: MetricProvider,
  { deliveryId, event, body }: VerifiedDelivery,
): void {
  const handler = deps.deliveryHandlers?.get(provider);
  if (handler?.arrived === undefined) return;
  const stored = { deliveryId, event, body, receivedAtMs: deps.clock.nowMs(), tries: 0 };
  deps.background.run('what people wait for in the tracker', async () => handler.arrived?.(stored));
}
