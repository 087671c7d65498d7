import { z } from 'zod';

/** `tracker.local.*` */
export const LocalTrackerSection = z.strictObject({
  prefix: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9]*$/, 'must be letters and digits, a letter first')
    .max(20)
    .default('SY')
    .describe('Prefix of identifiers in the built-in tracker.'),
});
