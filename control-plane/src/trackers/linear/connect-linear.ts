import type { EffectiveConfig } from '../../config/config-schema.ts';
import type { ResolveSecret } from '../../config/resolve-secret.ts';
import type { Clock, Logger } from '../../ports.ts';
import type { Tracker } from '../tracker.ts';
import { createLinearClient, type LinearClient } from './linear-client.ts';
import { linearSettings } from './linear-config.ts';
import type { LinearScope, LinearSettings } from './linear-settings.ts';
import { createLinearTracker } from './linear-tracker.ts';

/** Linear as configured at each moment: the tracker and what its deliveries need. */
export type LinearConnection = { tracker: Tracker; ask: LinearClient; scope: () => LinearScope };

/** One connection per process, so that all its users share what Linear says about its limits. */
export function connectLinear(deps: {
  clock: Clock;
  logger: Logger;
  /** The configuration as of the last load. */
  latest: () => Pick<EffectiveConfig, 'tracker'>;
  resolveSecret: ResolveSecret;
  /** Gets a new access token for one that is over. */
  renew?: () => Promise<boolean>;
}): LinearConnection {
  const { clock, logger } = deps;
  const settings: LinearSettings = {
    ...linearSettings(deps.latest, deps.resolveSecret),
    ...(deps.renew === undefined ? {} : { renew: deps.renew }),
  };
  const ask = createLinearClient({ clock, settings });
  const tracker = createLinearTracker({ logger, settings, ask });
  return { tracker, ask, scope: () => settings.scope() };
}
