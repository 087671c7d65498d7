import { z } from 'zod';
import { secretText, text } from '../bounds/text.ts';

/** `tracker.linear.*` */
export const LinearSection = z.strictObject({
  endpoint: z.url().max(2_048).optional().describe('Address of the GraphQL endpoint.'),
  apiKey: secretText().optional().describe('Key, usually $SECRET:NAME.'),
  projectSlug: text(500).optional().describe('Project whose issues are polled.'),
  team: text(100)
    .optional()
    .describe('Key of the team whose issues are polled, and to which new issues go.'),
});
