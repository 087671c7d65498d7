import type { Deps } from '../deps.ts';
import type { Connected } from '../integrations/integration.ts';
import type { DeliveryHandler } from '../ports/ports.ts';

/** Handles the tracker's webhooks; those of a tracker that is not configured are ignored. */
export function createTrackerHandler(
  config: Deps['config'],
  connected: readonly Pick<Connected, 'tracker' | 'trackerDeliveries'>[],
): DeliveryHandler {
  const configured = async () => {
    const { kind } = (await config.load()).tracker;
    return connected.find(({ tracker }) => tracker?.kind === kind)?.trackerDeliveries;
  };
  return {
    async handle(delivery, signal) {
      return (await configured())?.handle(delivery, signal) ?? { outcome: 'ignored' };
    },
    async arrived(delivery) {
      await (await configured())?.arrived?.(delivery);
    },
    async checkSubscription(signal) {
      return (await configured())?.checkSubscription?.(signal) ?? null;
    },
  };
}
