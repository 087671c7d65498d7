import { z } from 'zod';

/** `tracker.linear.*` */
export const LinearSection = z.strictObject({
  endpoint: z.url().max(2_048).optional().describe('Address of the GraphQL endpoint.'),
  apiKey: z.string().max(8_192).optional().describe('Key, usually $SECRET:NAME.'),
  projectSlug: z.string().max(500).optional().describe('Project whose issues are polled.'),
  team: z
    .string()
    .max(100)
    .optional()
    .describe('Key of the team whose issues are polled, and to which new issues go.'),
});
