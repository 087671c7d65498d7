import type { Context } from 'hono';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { VerifiedDelivery } from '../../integrations/webhook/verified-delivery.ts';
import { webhookReceivers } from '../../integrations/webhook-receivers.ts';
import type { MetricProvider } from '../../ports/ports.ts';
import { deliverySecret } from './delivery-secret.ts';
import type { NewDelivery } from './store-delivery.ts';
import { createTakeCodehostBody } from './take-codehost-body.ts';

/** Creates the reader of webhooks: it verifies a request's signature and returns its webhook. */
export function createReadDelivery(
  deps: Pick<Deps, 'clock' | 'config' | 'resolveSecret' | 'startHmac'>,
  { trustedHops = 0 }: { trustedHops?: number },
) {
  const takeCodehostBody = createTakeCodehostBody(trustedHops);
  return async (c: Context, provider: MetricProvider): Promise<NewDelivery> => {
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
  };
}
