import type { Deps } from '../../../control-plane/src/deps.ts';
import { createIntegrationHost } from '../../../control-plane/src/create-integration-host.ts';
import { createTrackerHandler } from '../../../control-plane/src/inbox/create-tracker-handler.ts';
import type { LinearConnection } from '../../../control-plane/src/integrations/linear/connect-linear.ts';
import { linearDeliveries } from '../../../control-plane/src/integrations/linear/webhook/linear-deliveries.ts';

/** The handlers of a core whose tracker is this connection. */
export function linearHandlers(
  deps: Deps,
  linear: LinearConnection,
): NonNullable<Deps['deliveryHandlers']> {
  const host = createIntegrationHost(() => deps);
  const trackerDeliveries = linearDeliveries(linear, deps.config, host);
  const connected = [{ tracker: linear.tracker, trackerDeliveries }];
  return new Map([['tracker', createTrackerHandler(deps.config, connected)]]);
}
