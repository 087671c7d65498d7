import type { Integration } from '../integration.ts';
import { createLocalCodeHost } from './code-host/local-code-host.ts';
import { createLocalTracker } from './tracker/local-tracker.ts';
import { localTrackerSettings } from './local-tracker-settings.ts';

/** The built-in tracker and code host. */
export const localIntegration: Integration = {
  connect({ db, clock, ids, config, service }) {
    const settings = localTrackerSettings(config, service);
    return {
      tracker: createLocalTracker({ db, clock, ids, settings }),
      codeHost: createLocalCodeHost({
        db,
        clock,
        ids,
        publicOrigin: () => service.publicOrigin,
      }),
    };
  },
};
