import type { Deps } from '../../deps.ts';
import type { VerifiedDelivery } from '../../integrations/webhook/verified-delivery.ts';
import type { MetricProvider } from '../../ports/ports.ts';

/** Lets the provider's handler act on a new webhook while its acknowledgement is sent. */
export function announceDelivery(
  deps: Pick<Deps, 'clock' | 'background' | 'deliveryHandlers'>,
  provider: MetricProvider,
  { deliveryId, event, body }: VerifiedDelivery,
): void {
  const handler = deps.deliveryHandlers?.get(provider);
  if (handler?.arrived === undefined) return;
  const stored = { deliveryId, event, body, receivedAtMs: deps.clock.nowMs(), tries: 0 };
  deps.background.run('what people wait for in the tracker', async () => handler.arrived?.(stored));
}
