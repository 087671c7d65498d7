import { z } from 'zod';
import { secretText } from '../../bounds/text.ts';

/** `triggers.*`: what other systems may request at /api/v1/webhooks/trigger. */
export const TriggersSection = z.strictObject({
  apiKey: secretText()
    .optional()
    .describe('Key of external triggers, usually $SECRET:NAME; left out: triggers are off.'),
});
