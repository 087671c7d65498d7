import { z } from 'zod';

/** `polling.*`: how often the tracker is asked. */
export const PollingSection = z.strictObject({
  intervalMs: z
    .int()
    .min(100)
    .max(86_400_000)
    .optional()
    .describe('Polling interval; left out: webhook.pollingBaseMs.'),
});
