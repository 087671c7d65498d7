import { z } from 'zod';
import { whole } from '../../bounds/whole.ts';

/** `polling.*`: how often the tracker is polled. */
export const PollingSection = z.strictObject({
  intervalMs: whole(100, 86_400_000)
    .optional()
    .describe('Polling interval; left out: webhook.pollingBaseMs.'),
});
