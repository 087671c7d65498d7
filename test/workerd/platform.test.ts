import { setTimeout as delay } from 'node:timers/promises';
import { describePlatform, PLATFORM_SETTINGS } from '../contracts/describe-platform.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { startEdge } from '../support/workerd/start-edge.ts';

/** Eviction waits for what is under way; counts are written a second after they are made. */
const SETTLE_MS = 1_500;

describePlatform('workers, whose objects are evicted between any two steps', async () => {
  const edge = await startEdge({ settings: PLATFORM_SETTINGS });
  return {
    client: new ServiceClient(edge.url, () => edge.logs().join('\n'), edge.writeToken),
    async forget() {
      await delay(SETTLE_MS);
      const objects = ['pool', 'coordinator', 'hub'] as const;
      await Promise.all(objects.map((object) => edge.evict(object)));
    },
    close: () => edge.close(),
  };
});
