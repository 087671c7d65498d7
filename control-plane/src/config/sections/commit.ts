import { z } from 'zod';
import { filledText } from '../bounds/text.ts';

/** `commit.*`: how work is committed. */
export const CommitSection = z.strictObject({
  name: filledText(200).default('Switchyard').describe('Author of commits.'),
  email: z
    .string()
    .min(3)
    .max(320)
    .default('switchyard@localhost')
    .describe('Address of the author.'),
  sign: z
    .boolean()
    .default(false)
    .describe("Whether the runner signs commits with its host's key."),
});
