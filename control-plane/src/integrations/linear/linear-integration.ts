import type { Integration } from '../integration.ts';
import { connectLinear } from './connect-linear.ts';
import { linearDeliveries } from './webhook/linear-deliveries.ts';
import { linearSettingsOf } from './linear-settings-of.ts';

/** Linear as a tracker with webhooks and agent sessions. */
export const linearIntegration: Integration = {
  connect({ clock, config, resolveSecret, host }) {
    const settings = {
      ...linearSettingsOf(() => config.latest(), resolveSecret),
      renew: () => host.renewTrackerToken(),
    };
    const linear = connectLinear({ clock, settings });
    return { tracker: linear.tracker, trackerDeliveries: linearDeliveries(linear, config, host) };
  },
};
