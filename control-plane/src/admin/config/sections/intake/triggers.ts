import { z } from 'zod';

/** `triggers.*`: what other systems may ask for at /api/v1/webhooks/trigger. */
export const TriggersSection = z.strictObject({
  apiKey: z
    .string()
    .max(8_192)
    .optional()
    .describe('Key of external triggers, usually $SECRET:NAME; left out: triggers are off.'),
});
